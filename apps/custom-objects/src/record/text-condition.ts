import type { RowCondition } from './row-condition.js';
import type { SearchedText } from './search-text.js';

/** A text that is looked for in an object, by a caller who belongs to the audiences. */
export interface TextSearch {
  readonly objectId: string;
  readonly audiences: readonly string[];
  readonly searched: SearchedText;
}

/**
 * Compares the texts of each record that other conditions leave. OFFSET keeps Postgres from reading the texts of all records
 * first.
 * @param first number of the first free parameter
 */
export const containsText = ({ audiences, searched }: TextSearch, first: number): RowCondition => ({
  sql: `EXISTS (SELECT 1 FROM record_search AS s
                 WHERE s.tenant_id = $1::uuid AND s.object_id = $2 AND s.id = custom_record.id
                   AND s.audience = ANY ($${first}::text[]) AND strpos(s.text, $${first + 1}) > 0 OFFSET 0)`,
  parameters: [audiences, searched.text],
});
