// Ends with 0 if the server in this container can handle requests, else with 1. The engine limits its time.
const url = `http://127.0.0.1:${process.env.PORT || '3000'}/_control/ready`;
process.exitCode = await fetch(url).then(
  ({ ok }) => (ok ? 0 : 1),
  () => 1,
);
