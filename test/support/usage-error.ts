import { UsageError } from '../../src/errors.ts';

/** The UsageError that `read` throws; fails the test if it throws none. */
export function usageErrorOf(read: () => unknown): UsageError {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('no UsageError was thrown');
}
