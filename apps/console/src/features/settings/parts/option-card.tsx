import { ApiProblem } from '@crm/api-client';
import { ProblemNotice, useTexts } from '@crm/ui';
import { Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type OptionDraft, withValues } from '../option-draft.js';
import { PICKLIST_TEXTS } from '../picklists.texts.js';
import { OptionEditor } from './option-editor.js';

/** What a card saves. */
export interface Saved {
  readonly name: string;
  readonly options: readonly OptionDraft[];
}

export interface OptionCardProps {
  readonly title: string;
  /** Pipelines alone have a name; their options are stages. */
  readonly name?: string;
  readonly options: readonly OptionDraft[];
  /** Values that no new option may have besides. */
  readonly others: readonly string[];
  readonly save: UseMutationResult<unknown, Error, Saved>;
  readonly readOnly: boolean;
  readonly isNew?: boolean;
  readonly onSaved?: () => void;
  readonly action?: ReactNode;
}

/** Options that are edited and saved together. */
export function OptionCard({ title, name, options, others, save, readOnly, isNew, ...more }: OptionCardProps) {
  const texts = useTexts(PICKLIST_TEXTS);
  const [changed, setChanged] = useState<Partial<Saved>>({});
  const now = { name: name ?? title, options, ...changed };
  const onSuccess = (): void => {
    setChanged({});
    notifications.show({ message: texts.saved(now.name), withCloseButton: false });
    more.onSaved?.();
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (save.isPending) return;
    save.mutate({ ...now, options: withValues(now.options, others) }, { onSuccess });
  };
  const left = options.filter(({ value }) => !now.options.some((option) => option.value === value));
  const inUse = texts.inUse(left.map(({ label }) => label).join(', '));
  const isInUse = save.error instanceof ApiProblem && save.error.fields.some(({ code }) => code === 'IN_USE');
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Stack component="form" gap="sm" onSubmit={onSubmit}>
        <Title order={2} size="sm">
          {title}
        </Title>
        {name === undefined ? null : (
          <TextInput
            label={texts.name}
            value={now.name}
            maxLength={100}
            required
            withAsterisk={false}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => setChanged((before) => ({ ...before, name: value }))}
          />
        )}
        <OptionEditor
          areStages={name !== undefined}
          options={now.options}
          readOnly={readOnly}
          onChange={(next) => setChanged((before) => ({ ...before, options: next }))}
        />
        {save.error ? <ProblemNotice problem={save.error} words={isInUse ? { VALIDATION_FAILED: inUse } : {}} /> : null}
        {readOnly ? null : (
          <Group justify="space-between">
            <Button type="submit" loading={save.isPending} disabled={!isNew && Object.keys(changed).length === 0}>
              {texts.save}
            </Button>
            {more.action}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
