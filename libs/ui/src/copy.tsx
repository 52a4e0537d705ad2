import { Button, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useTexts } from './locale.js';
import { PAGE_TEXTS } from './page.texts.js';

/** Copies a text, and says whether the browser let it: a text can still be marked and copied. */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  const texts = useTexts(PAGE_TEXTS);
  const { copy, copied, error } = useClipboard({ timeout: 60_000 });
  return (
    <>
      <Button variant="default" onClick={() => copy(text)}>
        {label ?? texts.copy}
      </Button>
      <Text role="status" c="dimmed">
        {error ? texts.notCopied : copied ? texts.copied : '\u00a0'}
      </Text>
    </>
  );
}
