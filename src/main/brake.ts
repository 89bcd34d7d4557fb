/** The halt as the desk lends it: of this user on this machine, signed with who they are. */
import type { TradingHalt } from '../commands/command-context.ts';
import { liftHalt, readHalt, setHalt } from '../journal/halt.ts';
import type { DeskParts } from './parts.ts';
export function brakeOf({ machine, places }: Pick<DeskParts, 'machine' | 'places'>): TradingHalt {
  const desk = () => ({ machine, places: places() });
  return {
    read: () => readHalt(desk()),
    halt: (why) => setHalt({ who: machine.host.who(), why }, desk()),
    unhalt: () => liftHalt(desk()),
  };
}
