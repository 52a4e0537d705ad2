/** A JSON pointer (RFC 6901) from its steps. No step at all is the whole document, the empty text. */
export function pointer(...steps: (string | number)[]): string {
  let text = '';
  for (const step of steps) text += `/${typeof step === 'number' ? step : escapeStep(step)}`;
  return text;
}

function escapeStep(step: string): string {
  return /[~/]/.test(step) ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

/** The steps of a JSON pointer; those into lists are numbers written as texts. */
export function pointerSteps(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
