/** What is made once, when it is first wanted, and is the same for everybody who asks after. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
