/** The two ways the practice service fails its operator, as errors. Refusals on the wire are not here. */

/** A file of the store is damaged, foreign or of another version. Nothing in it was changed. */
export class PracticeStoreError extends Error {
  override readonly name = 'PracticeStoreError';
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/** The operator asked the practice service for something it does not do; nothing was changed. */
export class PracticeInputError extends Error {
  override readonly name = 'PracticeInputError';
  /** The name of the option at fault, e.g. `share_429`. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
