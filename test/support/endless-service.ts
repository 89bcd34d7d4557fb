/** A service that never comes to the end of an answer. */
import { createServer } from 'node:tls';
import { wayTo } from './cli-for.ts';
import { close, listen } from './scripted-service.ts';
import { loopbackTls } from './tls.ts';

/** A service whose every answer begins so and goes on for ever. */
export async function endlessService(
  head: string,
): Promise<{ way: (home: string) => Record<string, string>; close: () => Promise<void> }> {
  const tls = await loopbackTls();
  const piece = Buffer.alloc(65_536, 'x');
  const chunk = head.includes('chunked')
    ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
    : piece;
  const server = createServer(tls, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(head);
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    });
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  const url = `https://127.0.0.1:${port.toString()}/v2`;
  return {
    way: (home) => ({ ...wayTo({ url, ca: tls.ca }, home), HEDGE_HOME: home }),
    close: () => close(server),
  };
}
