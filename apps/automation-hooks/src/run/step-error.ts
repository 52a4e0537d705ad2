/** A step that failed by what it is, not by what a service of the platform answered. */
export class StepError extends Error {
  override readonly name = 'StepError';

  /**
   * @param code UPPER_SNAKE, shown with the run
   * @param message shown with the run to everybody who may see runs
   * @param mayPass whether trying again later can help
   */
  constructor(
    readonly code: string,
    message: string,
    readonly mayPass: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
