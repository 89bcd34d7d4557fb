/** The promise `--expect-env`: which environment the operator believes to be in, checked before any network. */
import { didYouMean } from '../domain/closest.ts';
import { quoted } from '../domain/quoted.ts';
import { ENVIRONMENT_GLOSS, ENVIRONMENTS, type Environment } from '../domain/vocabulary.ts';
import { StoppedError, UsageError } from '../errors.ts';

/**
 * What is expected, or undefined when nothing was promised. UsageError for a word that is no environment,
 * and when option and variable differ: one of the two is a mistake, and only the operator knows which.
 */
export function readExpectation(words: {
  option: string | undefined;
  variable: string | undefined;
}): Environment | undefined {
  const option = words.option === undefined ? undefined : environmentOf('--expect-env', words.option);
  const variable =
    words.variable === undefined ? undefined : environmentOf('HEDGE_EXPECT_ENV', words.variable);
  if (option !== undefined && variable !== undefined && option !== variable) {
    throw new UsageError(
      `--expect-env says ${option}, and HEDGE_EXPECT_ENV says ${variable}.`,
      'Make them agree, or unset HEDGE_EXPECT_ENV.',
    );
  }
  return option ?? variable;
}

/** Throws StoppedError `env_mismatch` when a promise was made and does not hold. */
export function checkExpectation(environment: Environment, expected: Environment | undefined): void {
  if (expected === undefined || expected === environment) return;
  throw new StoppedError({
    code: 'env_mismatch',
    what: `This is ${environment} (${ENVIRONMENT_GLOSS[environment]}), and ${expected} (${ENVIRONMENT_GLOSS[expected]}) was expected.`,
    book: 'Nothing was sent.',
    hint: 'Choose the profile that was meant with --profile, or correct the promise (--expect-env, HEDGE_EXPECT_ENV).',
    details: { environment, expected },
  });
}

function environmentOf(from: string, word: string): Environment {
  const environment = ENVIRONMENTS.find((each) => each === word);
  if (environment === undefined) {
    throw new UsageError(
      `${quoted(word)} is not an environment (${from}).`,
      `${didYouMean(word.toLowerCase(), ENVIRONMENTS)}An environment is one of ${ENVIRONMENTS.join(', ')}.`,
    );
  }
  return environment;
}
