/** Why a step failed, unless a service of the platform answered with an error. */
export class StepError extends Error {
  override readonly name = 'StepError';

  /**
   * @param code UPPER_SNAKE, shown with the run
   * @param message shown with the run to everyone who can read runs
   * @param isRetryable whether a later attempt can succeed
   */
  constructor(
    readonly code: string,
    message: string,
    readonly isRetryable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
