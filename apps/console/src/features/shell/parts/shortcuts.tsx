import { useTexts } from '@crm/ui';
import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';
import { SHELL_TEXTS } from '../shell.texts.js';

/** What keys do anywhere but in inputs. */
export default function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts(SHELL_TEXTS);
  return (
    <Modal opened onClose={onClose} title={texts.shortcuts} closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack gap="xs">
        {Object.entries(texts.shortcutTexts).map(([keys, text]) => (
          <Group key={keys} justify="space-between" wrap="nowrap">
            <Text size="sm">{text}</Text>
            <Kbd>{keys}</Kbd>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}
