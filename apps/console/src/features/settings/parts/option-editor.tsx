import { Icon, useTexts } from '@crm/ui';
import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { moved, type OptionDraft } from '../option-draft.js';
import { PICKLIST_TEXTS } from '../picklists.texts.js';

export interface OptionEditorProps {
  readonly options: readonly OptionDraft[];
  readonly onChange: (options: readonly OptionDraft[]) => void;
  readonly readOnly: boolean;
  readonly areStages?: boolean;
}

/** Options in their order: renamed, moved, retired, removed and added. */
export function OptionEditor({ options, onChange, readOnly, areStages = false }: OptionEditorProps) {
  const texts = useTexts(PICKLIST_TEXTS);
  const set = (index: number, changes: Partial<OptionDraft>): void =>
    onChange(options.map((option, at) => (at === index ? { ...option, ...changes } : option)));
  const added: OptionDraft = {
    ...{ value: '', label: '', active: true },
    ...(areStages && { meaning: 'open', probability: 50 }),
  };
  const move = ({ label }: OptionDraft, index: number, by: 1 | -1): ReactNode => (
    <ActionIcon
      variant="subtle"
      color="gray"
      bg="transparent"
      aria-label={`${by < 0 ? texts.up : texts.down}: ${label || texts.unnamed}`}
      disabled={options[index + by] === undefined}
      onClick={() => onChange(moved(options, index, by))}
    >
      <Icon name={by < 0 ? 'up' : 'down'} />
    </ActionIcon>
  );
  const act = (text: string, { label }: OptionDraft, onClick: () => void): ReactNode => (
    <Button variant="subtle" size="compact-sm" aria-label={`${text}: ${label || texts.unnamed}`} onClick={onClick}>
      {text}
    </Button>
  );
  return (
    <Stack gap="xs">
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {options.map((option, index) => (
          <Group
            // Its index: a row has no other name before it is saved.
            key={index}
            component="li"
            gap="xs"
            wrap="wrap"
          >
            <TextInput
              aria-label={areStages ? texts.stage : texts.option}
              value={option.label}
              maxLength={80}
              required
              readOnly={readOnly}
              flex="1 1 9rem"
              opacity={option.active ? 1 : 0.7}
              rightSectionWidth={option.active ? undefined : 90}
              rightSection={
                option.active ? null : (
                  <Text size="xs" c="dimmed">
                    {texts.retired}
                  </Text>
                )
              }
              onChange={({ currentTarget: { value } }) => set(index, { label: value })}
            />
            {areStages ? (
              <>
                <NativeSelect
                  aria-label={`${texts.meaning}: ${option.label}`}
                  value={option.meaning}
                  disabled={readOnly}
                  data={(['open', 'won', 'lost'] as const).map((value) => ({ value, label: texts.meanings[value] }))}
                  onChange={({ currentTarget: { value } }) =>
                    set(index, { meaning: value as NonNullable<OptionDraft['meaning']> })
                  }
                />
                <NumberInput
                  aria-label={`${texts.probability}: ${option.label}`}
                  w={88}
                  hideControls
                  allowDecimal={false}
                  allowNegative={false}
                  max={100}
                  clampBehavior="strict"
                  suffix=" %"
                  readOnly={readOnly}
                  value={option.probability}
                  onChange={(value) => set(index, { probability: Number(value) || 0 })}
                />
              </>
            ) : null}
            {readOnly ? null : (
              <Group gap={4} wrap="nowrap">
                {move(option, index, -1)}
                {move(option, index, 1)}
                {act(option.active ? texts.retire : texts.use, option, () => set(index, { active: !option.active }))}
                {act(texts.remove, option, () => onChange(options.filter((_, at) => at !== index)))}
              </Group>
            )}
          </Group>
        ))}
      </Stack>
      {readOnly ? null : (
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => onChange([...options, added])}>
            {areStages ? texts.addStage : texts.add}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
