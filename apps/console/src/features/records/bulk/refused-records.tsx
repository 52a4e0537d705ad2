import type { BulkResult } from '@crm/api-client';
import type { ObjectModel } from '@crm/records-ui';
import { useLocale } from '@crm/ui';
import { Text } from '@mantine/core';
import { reasonOf } from './reason.js';

export interface RefusedRecordsProps {
  readonly model: ObjectModel;
  readonly rows: readonly { readonly result: BulkResult; readonly name: string }[];
}

/** Which records were not written, and why. */
export function RefusedRecords({ model, rows }: RefusedRecordsProps) {
  const { language } = useLocale();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <ul className="refused" tabIndex={0} style={{ maxHeight: '50dvh', overflow: 'auto' }}>
      {rows.map(({ result, name }) => (
        <li key={result.index}>
          <Text size="sm" fw={500} c="var(--mantine-color-text)">
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {reasonOf(model, result, language)}
          </Text>
        </li>
      ))}
    </ul>
  );
}
