// Loaded before a program whose machine sleeps: once a 504 has come, the wall clock has gone on by so many milliseconds,
// and nothing else has.
const { subscribe } = require('node:diagnostics_channel');

const MS = Number(process.env.SLEEPS_MS);
const now = Date.now;
let slept = 0;
Date.now = () => now() + slept;

const came = (status) => {
  if (status === 504) slept = MS;
};
subscribe('http.client.response.finish', ({ response }) => came(response.statusCode));
subscribe('undici:request:headers', ({ response }) => came(response.statusCode));
