import { Icon, useTexts } from '@crm/ui';
import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { moved, type OptionDraft } from '../option-draft.js';
import { PICKLIST_TEXTS } from '../picklists.texts.js';

export interface OptionEditorProps {
  readonly options: readonly OptionDraft[];
  readonly onChange: (options: readonly OptionDraft[]) => void;
  readonly readOnly: boolean;
  /** Whether they are stages. */
  readonly areStages?: boolean;
}

/** Options in their order: renamed, moved, retired, removed and added. */
export function OptionEditor({ options, onChange, readOnly, areStages = false }: OptionEditorProps) {
  const texts = useTexts(PICKLIST_TEXTS);
  const set = (index: number, changes: Partial<OptionDraft>): void =>
    onChange(options.map((option, place) => (place === index ? { ...option, ...changes } : option)));
  const added: OptionDraft = {
    ...{ value: '', label: '', active: true },
    ...(areStages && { meaning: 'open', probability: 50 }),
  };
  return (
    <Stack gap="xs">
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {options.map((option, index) => (
          <Group
            // Its place: a row has no other name before it is saved.
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
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  bg="transparent"
                  aria-label={texts.up(option.label || texts.unnamed)}
                  disabled={index === 0}
                  onClick={() => onChange(moved(options, index, -1))}
                >
                  <Icon name="up" />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  bg="transparent"
                  aria-label={texts.down(option.label || texts.unnamed)}
                  disabled={index === options.length - 1}
                  onClick={() => onChange(moved(options, index, 1))}
                >
                  <Icon name="down" />
                </ActionIcon>
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={(option.active ? texts.retireOf : texts.useOf)(option.label || texts.unnamed)}
                  onClick={() => set(index, { active: !option.active })}
                >
                  {option.active ? texts.retire : texts.use}
                </Button>
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={texts.removeOf(option.label || texts.unnamed)}
                  onClick={() => onChange(options.filter((_, place) => place !== index))}
                >
                  {texts.remove}
                </Button>
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
