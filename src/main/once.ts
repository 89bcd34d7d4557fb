/** What is opened once in an invocation, when it is first wanted, whoever asks. */

/** The same promise for every caller: a thing is opened once, when it is first wanted. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
