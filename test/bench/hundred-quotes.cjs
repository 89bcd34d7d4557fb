/**
 * What a batch of quotes asks, by a program that does nothing else: node:https alone, over connections that are kept.
 * Usage: node hundred-quotes.cjs NOTIONAL... , the way to the service in the environment as for hedge.
 */
'use strict';
const { readFileSync } = require('node:fs');
const { Agent, request } = require('node:https');

const { HEDGE_BASE_URL: base, HEDGE_CA_FILE: file, HEDGE_API_KEY: key } = process.env;
const agent = new Agent({ keepAlive: true, ca: readFileSync(file) });
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

const ask = (method, path, body) =>
  new Promise((resolve, reject) => {
    const asked = request(`${base}${path}`, { agent, method, headers }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())));
    });
    asked.on('error', reject).end(body);
  });

/** A quote and, in parallel, the account for each size, one size after the other. */
async function main() {
  for (const size of process.argv.slice(2).map(Number)) {
    const body = JSON.stringify({ market: 'USDTNGN', side: 'buy', notional_usd: size, tenor_days: 3 });
    const [{ error }] = await Promise.all([ask('POST', '/quotes', body), ask('GET', '/account')]);
    if (error !== null) throw new Error(error.message);
  }
  agent.destroy();
}

void main();
