import { useRecords } from '@crm/records-ui';
import { Icon, ProblemNotice, useTexts } from '@crm/ui';
import { Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useSearchOfAll } from '../shell.queries.js';
import { SHELL_TEXTS } from '../shell.texts.js';

const TYPING_PAUSE_MS = 200;
/** Letters and digits without which the API searches for nothing. */
const LEAST = 3;

/** Searches all objects; Enter opens the record. Focused from the beginning: a click or a key has asked for it. */
export default function Search({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts(SHELL_TEXTS);
  const { objects, open } = useRecords();
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  const isLong = (settled.match(/[\p{L}\p{N}]/gu) ?? []).length >= LEAST;
  const { data, error, isPlaceholderData } = useSearchOfAll(isLong ? settled : undefined);
  const hits = isLong && !error ? data : undefined;
  const combobox = useCombobox({ defaultOpened: true });
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  // Enter opens the first one without a key before.
  useEffect(() => {
    combobox.selectFirstOption();
  }, [hits]);
  const choose = (value: string): void => {
    // What is listed may be of an earlier text still.
    if (isPlaceholderData || settled !== text.trim()) return;
    const hit = hits?.find(({ id }) => id === value);
    const model = objects.find(({ apiName }) => apiName === hit?.object);
    if (!hit || !model) return;
    onClose();
    open(model, hit.id);
  };
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={choose}
      position="bottom-end"
      width="min(26rem, 92vw)"
      withinPortal={false}
      shadow="md"
    >
      <Combobox.Target withExpandedAttribute>
        <TextInput
          ref={input}
          className="search-all"
          aria-label={texts.searchAll}
          placeholder={texts.searchAll}
          leftSection={<Icon name="search" />}
          value={text}
          maxLength={200}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            combobox.openDropdown();
          }}
          onBlur={onClose}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onClose();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        {error ? <ProblemNotice problem={error} /> : null}
        <Combobox.Options mah="60dvh" className="views" aria-label={texts.searchAll}>
          {hits?.map(({ object, id, title, matched }) => (
            <Combobox.Option key={id} value={id}>
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Text size="sm" truncate>
                  {title || texts.untitled}
                </Text>
                <Text size="xs" c="dimmed">
                  {objects.find(({ apiName }) => apiName === object)?.label}
                </Text>
              </Group>
              {matched.value === title ? null : (
                <Text size="xs" c="dimmed" truncate>
                  {matched.value}
                </Text>
              )}
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {error || hits?.length ? null : (
          <Combobox.Empty>{!isLong ? texts.searchHint : hits ? texts.nothingFound : texts.loading}</Combobox.Empty>
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}
