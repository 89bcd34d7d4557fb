/** `hedge practice serve`: keeps the practice service up for other programs, until Ctrl-C. */

import { optionGiven, optionText } from '../../args/operands.ts';
import { readLoopbackHost, readPort } from '../../args/practice-operands.ts';
import { readWeather, WEATHER_OPTIONS } from '../../args/weather-intent.ts';
import { viewServedPractice } from '../../output/views/practice.ts';
import { defineCommand } from '../define.ts';
export const practiceServe = defineCommand({
  name: 'practice serve',
  summary: 'keeps the practice service up for other programs, until Ctrl-C',
  description:
    'Prints the base address, the certificate to trust and both keys as lines that a shell can read. Listens on this machine alone. Ctrl-C and TERM stop it cleanly, with exit code 0.',
  options: [
    { flags: '--port <port>', summary: 'where to listen; any free port without it' },
    {
      flags: '--host <address>',
      summary: 'a loopback address (127.0.0.1)',
      completes: { words: ['127.0.0.1', '::1'] },
    },
    { flags: '--log', summary: 'one line a request on standard error' },
    ...WEATHER_OPTIONS,
  ],
  examples: [
    { line: 'hedge practice serve --port 4870', shows: 'what to paste into the other shell' },
    { line: 'hedge practice serve --log > practice.env &', shows: 'the same for a script: . ./practice.env' },
  ],
  read(raw) {
    const port = optionText(raw, 'port');
    const host = optionText(raw, 'host');
    return {
      log: optionGiven(raw, 'log'),
      weather: readWeather(raw),
      ...(port === undefined ? {} : { port: readPort(port) }),
      ...(host === undefined ? {} : { host: readLoopbackHost(host) }),
    };
  },
  async run(desk, { log, ...where }, emit) {
    const onRequest = log ? (line: string) => desk.note(line, { whole: true }) : undefined;
    const served = await desk.practice.serve({ ...where, onRequest });
    try {
      await emit({ value: { base_url: served.url, ca_file: served.caFile, keys: served.keys } });
      await desk.untilStopped();
    } finally {
      await served.close();
    }
    desk.note('The practice service has stopped.');
    return undefined;
  },
  view: viewServedPractice,
});
