import type { Schema } from './api.ts';
import type { ClinicVariant } from './clinic-variants.ts';

const text = (maxLength: number): Schema => ({ type: 'string', minLength: 1, maxLength });
const refer = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const query = (name: string, schema: Schema, description?: string) => ({ name, in: 'query', schema, description });
const path = (name: string) => [{ name, in: 'path', required: true, schema: { type: 'string', maxLength: 24 } }];

const TIME = { type: 'string', format: 'date-time' };
const DATE = { type: 'string', format: 'date' };
const CENTS = { type: 'integer', minimum: 0, maximum: 10_000_000 };
const SPECIALTIES = ['general', 'cardiology', 'dermatology', 'paediatrics'];
const STATUSES = ['booked', 'checked_in', 'cancelled'];

const INSURANCE = {
  type: 'object',
  required: ['company', 'number'],
  properties: { company: text(40), number: text(20) },
};
const DOCTOR: Record<string, Schema> = {
  name: text(80),
  specialty: { type: 'string', enum: SPECIALTIES },
  license_number: { type: 'string', pattern: '^[A-Z]{2}[0-9]{4,8}$', description: 'Each doctor has another number.' },
  fee_cents: CENTS,
  bio: { type: 'string', maxLength: 500, nullable: true },
  languages: { type: 'array', maxItems: 6, items: { type: 'string', pattern: '^[a-z]{2}$' } },
};
const PATIENT: Record<string, Schema> = {
  first_name: text(60),
  last_name: text(90),
  email: { type: 'string', format: 'email', maxLength: 120 },
  birth_date: DATE,
  phone: { type: 'string', pattern: '^\\+?[0-9 ]{5,18}$', nullable: true },
  insurance: refer('Insurance'),
  allergies: { type: 'array', maxItems: 8, items: refer('Allergy') },
};
const APPOINTMENT: Record<string, Schema> = {
  doctor_code: { type: 'string', maxLength: 24 },
  patient_id: { type: 'string', maxLength: 24 },
  start: TIME,
  end: TIME,
  price_cents: CENTS,
  room: text(20),
  notes: { type: 'string', maxLength: 1_000 },
};

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is invalid',
  401: 'The API key is missing or unknown',
  404: 'There is no such resource',
  409: 'Conflict',
  410: 'The patient has been deleted',
  412: 'The resource has been changed since',
  422: 'The appointment ends before it starts, or the doctor or the patient does not exist',
  428: 'If-Match is missing',
};
const responses = (success: object, ...statuses: readonly number[]) => ({
  ...success,
  ...Object.fromEntries(
    [401, ...statuses].map((status) => [status, { description: ERRORS[status], ...json(refer('Problem')) }]),
  ),
});
const ETAG = { ETag: { schema: { type: 'string' } } };
const one = (name: string, headers: object = ETAG) => ({ description: name, headers, ...json(refer(name)) });
const created = (name: string) => ({
  '201': one(name, { ...ETAG, Location: { required: true, schema: { type: 'string' } } }),
});
const found = (name: string) => ({ '200': one(name) });
const page = (name: string) => ({
  '200': {
    description: 'A page',
    ...json({
      type: 'object',
      required: ['data', 'next_cursor', 'total_count'],
      properties: {
        data: { type: 'array', items: refer(name) },
        next_cursor: { type: 'string', nullable: true },
        total_count: { type: 'integer' },
      },
    }),
  },
});
const body = (name: string) => ({ requestBody: { required: true, ...json(refer(name)) } });
const GONE = { '204': { description: 'Deleted' } };

const PAGE = [
  query('limit', { type: 'integer', minimum: 1, maximum: 50, default: 10 }),
  query('cursor', { type: 'string' }, 'The next_cursor of the page before.'),
];
const sort = (...names: readonly string[]) =>
  query(
    'sort',
    { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) },
    'The property to sort by. A minus sign sorts in descending order.',
  );
const CURRENT = { name: 'If-Match', in: 'header', schema: { type: 'string' } };

const LIST_DOCTORS = [
  ...PAGE,
  sort('name', 'fee_cents'),
  query('specialty', { type: 'string', enum: SPECIALTIES }),
  query('min_fee', CENTS, 'The lowest fee in cents.'),
  query('max_fee', CENTS, 'The highest fee in cents.'),
  query('q', { type: 'string', maxLength: 40 }, 'A part of the name.'),
];
const LIST_PATIENTS = [
  ...PAGE,
  sort('last_name', 'birth_date'),
  query('last_name', { type: 'string', maxLength: 90 }),
  query('born_after', DATE, 'Only patients born after this day.'),
  query('born_before', DATE, 'Only patients born before this day.'),
  query('include_deleted', { type: 'boolean', default: false }),
];
const LIST_APPOINTMENTS = [
  ...PAGE,
  sort('start', 'price_cents'),
  query('status', { type: 'string', enum: STATUSES }),
  query('doctor_code', { type: 'string' }),
  query('patient_id', { type: 'string' }),
  query('from', TIME, 'Appointments that start at this time or later.'),
  query('to', TIME, 'Appointments that start at this time or earlier.'),
  query('min_price', CENTS),
  query('max_price', CENTS),
];

function createPaths(variant: ClinicVariant): object {
  const isGone = variant === 'deleted patients are 410, as documented';
  const withRules = variant === 'refuses rules with 400' ? [400, 404, 409] : [400, 404, 409, 422];
  return {
    '/doctors': {
      get: { operationId: 'listDoctors', parameters: LIST_DOCTORS, responses: responses(page('Doctor'), 400) },
    },
    '/doctors/{code}': {
      parameters: path('code'),
      get: { operationId: 'getDoctor', responses: responses(found('Doctor'), 404) },
      put: {
        operationId: 'putDoctor',
        description: 'Creates or replaces a doctor.',
        ...body('DoctorInput'),
        responses: responses({ ...found('Doctor'), '201': one('Doctor') }, 400, 409),
      },
      delete: { operationId: 'deleteDoctor', responses: responses(GONE, 404, 409) },
    },
    '/patients': {
      get: { operationId: 'listPatients', parameters: LIST_PATIENTS, responses: responses(page('Patient'), 400) },
      post: {
        operationId: 'registerPatient',
        ...body('PatientInput'),
        responses: responses(created('Patient'), 400, 409),
      },
    },
    '/patients/{patientId}': {
      parameters: path('patientId'),
      get: { operationId: 'getPatient', responses: responses(found('Patient'), 404, ...(isGone ? [410] : [])) },
      patch: {
        operationId: 'updatePatient',
        description: 'Changes the given properties. null removes a property.',
        parameters: [CURRENT],
        ...body('PatientChange'),
        responses: responses(found('Patient'), 400, 404, 409, 412, ...(isGone ? [410] : [])),
      },
      delete: { operationId: 'deletePatient', responses: responses(GONE, 404, ...(isGone ? [410] : [])) },
    },
    '/appointments': {
      get: {
        operationId: 'listAppointments',
        parameters: LIST_APPOINTMENTS,
        responses: responses(page('Appointment'), 400),
      },
      post: {
        operationId: 'bookAppointment',
        ...body('AppointmentInput'),
        responses: responses(created('Appointment'), ...withRules.filter((status) => status !== 404)),
      },
    },
    '/appointments/{appointmentId}': {
      parameters: path('appointmentId'),
      get: { operationId: 'getAppointment', responses: responses(found('Appointment'), 404) },
      put: {
        operationId: 'replaceAppointment',
        parameters: [CURRENT],
        ...body('AppointmentInput'),
        responses: responses(found('Appointment'), ...withRules, 412, 428),
      },
    },
    '/appointments/{appointmentId}/check_in': {
      parameters: path('appointmentId'),
      post: {
        operationId: 'checkIn',
        summary: 'Check in the patient of a booked appointment',
        responses: responses(found('Appointment'), 404, 409),
      },
    },
    '/appointments/{appointmentId}/cancel': {
      parameters: path('appointmentId'),
      post: {
        operationId: 'cancelAppointment',
        requestBody: { required: true, ...json(refer('Cancellation')) },
        responses: responses(found('Appointment'), 400, 404, 409),
      },
    },
  };
}

/** Creates the OpenAPI document of a clinic: doctors, patients and their appointments. */
export function createClinicDocument(variant: ClinicVariant): object {
  const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', required, properties });
  const ID = { type: 'string', readOnly: true };
  const SET = { type: 'string', format: 'date-time', readOnly: true };
  const doctor = ['name', 'specialty', 'license_number', 'fee_cents'];
  const patient = ['first_name', 'last_name', 'email', 'birth_date'];
  const appointment = ['doctor_code', 'patient_id', 'start', 'end', 'price_cents'];
  const schemas = {
    Insurance: INSURANCE,
    Allergy: object({ substance: text(40), severity: { type: 'string', enum: ['mild', 'severe'] } }, ['substance']),
    DoctorInput: object(DOCTOR, doctor),
    Doctor: object({ code: ID, ...DOCTOR }, ['code', ...doctor]),
    PatientInput: object(PATIENT, patient),
    PatientChange: {
      ...object({ ...PATIENT, insurance: { ...INSURANCE, nullable: true } }),
      minProperties: 1,
    },
    Patient: object({ id: ID, registered_at: SET, deleted_at: { ...SET, nullable: true }, ...PATIENT }, [
      'id',
      'registered_at',
      ...patient,
    ]),
    AppointmentInput: object(APPOINTMENT, appointment),
    Appointment: object(
      {
        id: ID,
        status: { type: 'string', enum: STATUSES, readOnly: true },
        cancel_reason: { type: 'string', readOnly: true },
        ...APPOINTMENT,
      },
      ['id', 'status', ...appointment],
    ),
    Cancellation: object({ reason: text(200) }, ['reason']),
    Problem: object({ error: { type: 'string' } }, ['error']),
  };
  return {
    openapi: '3.0.3',
    info: { title: 'Clinic', version: '1' },
    security: [{ key: [] }],
    paths: createPaths(variant),
    components: { schemas, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
  };
}
