import { ApiProblem, type BulkResult, type LabelLanguage, problemInWords } from '@crm/api-client';
import type { ObjectModel } from '@crm/records-ui';

/** Why a record was refused, in words; by field where it was for fields. */
export function reasonOf(
  { fields }: Pick<ObjectModel, 'fields'>,
  { error }: Pick<BulkResult, 'error'>,
  language: LabelLanguage,
): string {
  if (!error) return '';
  const { code, status, detail, errors = [] } = error;
  const labelOf = (pointer: string): string => {
    const name = pointer.split('/')[1] ?? '';
    return fields.find(({ apiName }) => apiName === name)?.label ?? name;
  };
  if (errors.length > 0) return errors.map((one) => `${labelOf(one.pointer)}: ${one.detail}`).join('; ');
  const { title, text } = problemInWords(new ApiProblem(code, status, detail), language);
  return status === 409 ? detail : `${title}. ${text}`;
}
