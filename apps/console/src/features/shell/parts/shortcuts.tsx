import { useTexts } from '@crm/ui';
import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure, useHotkeys, useWindowEvent } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { SHELL_TEXTS } from '../shell.texts.js';
import { SHOW_SHORTCUTS } from '../shell-events.js';

/** What keys do anywhere but in inputs, besides the search, and the list of them. */
export default function Shortcuts() {
  const texts = useTexts(SHELL_TEXTS);
  const [isOpen, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const { object } = useParams({ strict: false });
  const create = (): void => {
    if (object !== undefined) void navigate({ to: '/records/$object', params: { object }, search: { new: true } });
  };
  useWindowEvent(SHOW_SHORTCUTS, open);
  useHotkeys([
    ['c', create],
    ['shift+?', open],
    ['?', open],
  ]);
  return (
    <Modal opened={isOpen} onClose={close} title={texts.shortcuts} closeButtonProps={{ 'aria-label': texts.close }}>
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
