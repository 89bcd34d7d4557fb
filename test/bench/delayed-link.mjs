/**
 * A link with a fixed delay in front of a TCP service, in a process of its own: SYN, handshake and data alike take half a
 * round trip each way. The kernel accepts at once, so the first bytes of a connection also wait for the round trip that
 * its SYN and SYN-ACK would have taken. Usage: node delayed-link.mjs PORT MS. Prints its own port; then, for each line
 * on standard input, the number of connections since the line before.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [servicePort, roundTripMs] = process.argv.slice(2).map(Number);
let connections = 0;

const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  connections += 1;
  const openedAt = performance.now() + roundTripMs;
  const service = connect({ port: servicePort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  // What the client can send after the SYN-ACK has come takes half a round trip more.
  carry(client, service, () => Math.max(performance.now(), openedAt) + roundTripMs / 2);
  carry(service, client, () => performance.now() + roundTripMs / 2);
});

/** In order: a timer of the same due time fires after the one set before it. */
function carry(from, to, dueAt) {
  const after = (due, act) => {
    if (roundTripMs === 0) act();
    else setTimeout(() => act(), due - performance.now());
  };
  from.on('data', (chunk) => after(dueAt(), () => to.destroyed || to.write(chunk)));
  from.on('end', () => after(dueAt(), () => to.destroyed || to.end()));
  from.on('error', () => to.destroy());
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(server.address().port);
for await (const _ of createInterface({ input: process.stdin })) {
  console.log(connections);
  connections = 0;
}
process.exit(0);
