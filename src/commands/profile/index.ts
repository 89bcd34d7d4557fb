/** `hedge profile` */
import type { CommandGroup } from '../define.ts';
import { profileAdd } from './add.ts';
import { profileLimit } from './limit.ts';
import { profileList } from './list.ts';
import { profileRemove } from './remove.ts';
import { profileSet } from './set.ts';
import { profileShow } from './show.ts';
import { profileUse } from './use.ts';

export const profile: CommandGroup = {
  name: 'profile',
  summary:
    'Manage API keys, base addresses and limits. A profile is a name for a key and a base address. The key decides the environment: _live_ or _test_. The profile practice is built in.',
  commands: [profileAdd, profileList, profileShow, profileUse, profileSet, profileLimit, profileRemove],
};
