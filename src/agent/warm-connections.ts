/**
 * Verified TLS connections to one host, opened ahead of the commands that will use them. Each is given away once: what one
 * command left on a connection never reaches another.
 */
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../platform/clock.ts';

export interface WarmConnections {
  /** One that is open, for the caller alone; undefined when none is. */
  take(): TLSSocket | undefined;
  /** Those that wait to be taken. */
  ready(): number;
  /** Resolves with the first connection; rejects with the reason why there is none. */
  begin(): Promise<void>;
  close(): void;
}

/** One command uses no more. */
const WHILE_USED = 8;
const WHILE_UNUSED = 2;
const UNUSED_AFTER_MS = 600_000;
/** Services and firewalls drop a connection that is idle for a minute; one that drops it sooner is noticed. */
const OPEN_FOR_MS = 50_000;
const SHORTEST_OPEN_MS = 5_000;
/** No timer of a busy machine is so late. */
const LATE_MS = 5_000;
/** Renewed after this part of the time in which the host dropped one. */
const RENEWED_AFTER = 0.7;
const KEEPALIVE_MS = 15_000;
/** The command that took one has a processor to itself meanwhile: handshakes would slow it down. */
const REFILLED_AFTER_MS = 250;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export function warmConnections(
  connect: () => Promise<TLSSocket>,
  clock: Pick<Clock, 'after' | 'monotonic' | 'now'>,
): WarmConnections {
  /** Each with the end of its watch, and when it should have been renewed by the wall clock. */
  const waiting = new Map<TLSSocket, { unwatch: () => void; dueAt: number }>();
  let connecting = 0;
  let failures = 0;
  let openForMs = OPEN_FOR_MS;
  let takenAt = clock.monotonic();
  let endPause: (() => void) | undefined;
  let cancelRefill: (() => void) | undefined;
  let closed = false;

  const wanted = (): number => (clock.monotonic() - takenAt < UNUSED_AFTER_MS ? WHILE_USED : WHILE_UNUSED);

  const fill = (): void => {
    if (closed || endPause !== undefined) return;
    for (let missing = wanted() - waiting.size - connecting; missing > 0; missing -= 1) void open();
  };
  const refill = (): void => {
    if (waiting.size === 0) fill();
    else
      cancelRefill ??= clock.after(REFILLED_AFTER_MS, () => {
        cancelRefill = undefined;
        fill();
      });
  };
  /** A host that refuses, or closes at once, is asked again after a pause that doubles. */
  const pause = (): void => {
    if (closed || endPause !== undefined) return;
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    failures += 1;
    endPause = clock.after(ms, () => {
      endPause = undefined;
      fill();
    });
  };
  const open = async (): Promise<void> => {
    connecting += 1;
    try {
      keep(await connect());
    } catch {
      pause();
    } finally {
      connecting -= 1;
    }
  };
  const keep = (socket: TLSSocket): void => {
    if (closed) return void socket.destroy();
    const since = clock.monotonic();
    const lost = (): void => {
      drop(socket);
      const ms = clock.monotonic() - since;
      openForMs = Math.max(SHORTEST_OPEN_MS, Math.min(openForMs, ms * RENEWED_AFTER));
      if (ms < SHORTEST_OPEN_MS) pause();
      else fill();
    };
    const renew = clock.after(openForMs, () => {
      drop(socket);
      fill();
    });
    socket.setKeepAlive(true, KEEPALIVE_MS);
    // Nothing was asked: data is as wrong as an end.
    for (const event of ['close', 'end', 'error', 'readable']) socket.on(event, lost);
    waiting.set(socket, {
      unwatch() {
        renew();
        for (const event of ['close', 'end', 'error', 'readable']) socket.off(event, lost);
      },
      dueAt: clock.now() + openForMs,
    });
    return undefined;
  };
  const drop = (socket: TLSSocket): void => {
    waiting.get(socket)?.unwatch();
    waiting.delete(socket);
    socket.on('error', () => undefined).destroy();
  };

  /** The machine slept, and the timer with it: what the service has dropped since is not noticed. */
  const dropOverdue = (): void => {
    const now = clock.now();
    for (const [socket, { dueAt }] of waiting) if (now > dueAt + LATE_MS) drop(socket);
  };

  return {
    take() {
      dropOverdue();
      takenAt = clock.monotonic();
      failures = 0;
      endPause?.();
      endPause = undefined;
      // The newest: the least likely to have been dropped on its way.
      const socket = [...waiting.keys()].findLast((each) => !each.destroyed && each.readable);
      if (socket !== undefined) {
        waiting.get(socket)?.unwatch();
        waiting.delete(socket);
      }
      refill();
      return socket;
    },
    ready: () => waiting.size,
    async begin() {
      keep(await connect());
      fill();
    },
    close() {
      closed = true;
      endPause?.();
      cancelRefill?.();
      for (const socket of waiting.keys()) drop(socket);
    },
  };
}
