import {
  BOOKING_DEFECTS,
  BOOKING_HABITS,
  BOOKING_HEADERS,
  describeBookings,
} from '../support/planted-defects/apis/booking-variants.ts';
import { startBookings } from '../support/planted-defects/apis/bookings.ts';
import { testPlantedDefects } from '../support/planted-defects/apis/planted-api.ts';

testPlantedDefects({
  name: 'bookings',
  headers: BOOKING_HEADERS,
  defects: BOOKING_DEFECTS,
  habits: BOOKING_HABITS,
  describe: describeBookings,
  start: startBookings,
});
