import type { BulkResult } from '@crm/api-client';
import type { ObjectModel } from '@crm/records-ui';
import { useLocale, useTexts } from '@crm/ui';
import { Modal, Text } from '@mantine/core';
import { BULK_TEXTS } from './bulk.texts.js';
import { reasonOf } from './reason.js';

export interface RefusedRecordsProps {
  readonly model: ObjectModel;
  readonly rows: readonly { readonly result: BulkResult; readonly name: string }[];
  readonly onClose: () => void;
}

/** Which records were not written, and why. */
export function RefusedRecords({ model, rows, onClose }: RefusedRecordsProps) {
  const texts = useTexts(BULK_TEXTS);
  const { language } = useLocale();
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={texts.refused(rows.length)}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <ul className="refused">
        {rows.map(({ result, name }) => (
          <li key={result.index}>
            <Text size="sm" fw={500}>
              {name}
            </Text>
            <Text size="sm" c="dimmed">
              {reasonOf(model, result, language)}
            </Text>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
