/** The door of the practice service: the only file of it that `main.ts` imports, and that lazily. */
import type { PracticeAdmin, PracticeAdminOptions, PracticeOptions, PracticeService } from './door.ts';

export type * from './door.ts';
export { PracticeInputError, PracticeStoreError } from './failures.ts';

export declare function startPracticeService(options: PracticeOptions): Promise<PracticeService>;

/** The same administration without a listening server. */
export declare function openPracticeAdmin(
  options: PracticeAdminOptions,
): Promise<PracticeAdmin & { close(): Promise<void> }>;
