/** The halt as the desk lends it: of this user on this machine, signed with who they are. */
import type { Brake } from '../commands/desk.ts';
import { halt, readHalt, unhalt } from '../journal/halt.ts';
import type { DeskParts } from './parts.ts';

export function brakeOf({ machine, places }: Pick<DeskParts, 'machine' | 'places'>): Brake {
  const desk = () => ({ machine, places: places() });
  return {
    read: () => readHalt(desk()),
    halt: (why) => halt({ who: machine.host.who(), why }, desk()),
    unhalt: () => unhalt(desk()),
  };
}
