/** Why a template gives nothing. */
export type TemplateErrorCode = 'TEMPLATE' | 'TEMPLATE_TOO_LARGE';

/** A malformed template, a value that is not allowed at its place, or a result that is too long. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    message: string,
    readonly code: TemplateErrorCode = 'TEMPLATE',
  ) {
    super(message);
  }
}
