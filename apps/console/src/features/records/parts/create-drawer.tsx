import { type ObjectModel, RECORD_TEXTS } from '@crm/records-ui';
import { RecordForm } from '@crm/records-ui/record';
import { useTexts } from '@crm/ui';
import { Drawer } from '@mantine/core';
import { SHELL_TEXTS } from '../../shell/shell.texts.js';

export interface CreateDrawerProps {
  readonly model: ObjectModel;
  readonly onCreated: (record: { readonly id: string }) => void;
  readonly onClose: () => void;
}

/** The form of a new record, beside the list. */
export default function CreateDrawer({ model, onCreated, onClose }: CreateDrawerProps) {
  const texts = useTexts(RECORD_TEXTS);
  const { close } = useTexts(SHELL_TEXTS);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={texts.create(model.label)}
      closeButtonProps={{ 'aria-label': close }}
    >
      <RecordForm model={model} onCreated={onCreated} onCancel={onClose} />
    </Drawer>
  );
}
