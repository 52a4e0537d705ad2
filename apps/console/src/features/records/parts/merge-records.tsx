import type { CrmRecord } from '@crm/api-client';
import { type FieldModel, type ObjectModel, RECORD_TEXTS, titleOf, useRecords } from '@crm/records-ui';
import { isSame, ReferencePicker, TIMELINES, useRecord, ValueText } from '@crm/records-ui/record';
import { ProblemNotice, useTexts } from '@crm/ui';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ACTION_TEXTS } from '../actions.texts.js';
import type { RecordActionProps } from './convert-lead.js';

const isUnset = (record: CrmRecord, { apiName }: FieldModel): boolean => (record[apiName] ?? null) === null;

/** Merges another record into the one that is shown: what differs stands side by side. */
export default function MergeRecords({
  model,
  record,
  title,
  onClose,
}: RecordActionProps & { readonly model: ObjectModel }) {
  const texts = useTexts(ACTION_TEXTS);
  const { cancel, untitled } = useTexts(RECORD_TEXTS);
  const { api } = useRecords();
  const queries = useQueryClient();
  const [otherId, setOther] = useState('');
  const [taken, setTaken] = useState<readonly string[]>([]);
  const isItself = otherId === record.id;
  const { data: other, error } = useRecord(model.name, isItself ? undefined : otherId || undefined);
  const differing = model.fields.filter(
    (field) =>
      field.type !== 'formula' &&
      field.writable &&
      !isSame(record[field.apiName] ?? null, other?.[field.apiName] ?? null),
  );
  const merge = useMutation({
    mutationFn: (loser: CrmRecord) =>
      api.merge(
        model.name,
        record.id,
        record.version,
        loser.id,
        differing.map(({ apiName }) => apiName).filter((name) => taken.includes(name)),
      ),
    // What another one has changed meanwhile is shown, and the merge can be tried again.
    onError: () => queries.invalidateQueries({ queryKey: ['records'] }),
    onSuccess: async () => {
      notifications.show({ message: texts.merged });
      onClose();
      await Promise.all([['records'], TIMELINES].map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={texts.mergeTitle(title)}
      closeButtonProps={{ 'aria-label': cancel }}
    >
      <Stack gap="md">
        <ReferencePicker
          targets={[model.name]}
          label={texts.other(model.label)}
          error={isItself ? texts.itself : undefined}
          value={otherId}
          onChange={(id) => {
            setOther(id);
            setTaken([]);
          }}
        />
        {error ? <ProblemNotice problem={error} /> : null}
        {other ? (
          <>
            <Text size="sm">{texts.mergeText}</Text>
            <Group grow align="start" wrap="nowrap">
              {[
                [texts.stays, title],
                [texts.goes, titleOf(model, other) || untitled],
              ].map(([what, name]) => (
                <Text key={what} size="sm" fw={600}>
                  {name}
                  <Text size="xs" c="dimmed">
                    {what}
                  </Text>
                </Text>
              ))}
            </Group>
            {differing.length === 0 ? <Text c="dimmed">{texts.same}</Text> : null}
            {differing.map((field) => {
              const isTaken = isUnset(record, field) || taken.includes(field.apiName);
              return (
                <fieldset key={field.apiName} className="merge-field">
                  <legend>{field.label}</legend>
                  {(['own', 'other'] as const).map((side) => (
                    <label key={side}>
                      <input
                        type="radio"
                        name={field.apiName}
                        checked={isTaken === (side === 'other')}
                        // What is unset here always takes the other's value.
                        disabled={side === 'own' && isUnset(record, field)}
                        onChange={() =>
                          setTaken((names) =>
                            side === 'other'
                              ? [...names, field.apiName]
                              : names.filter((name) => name !== field.apiName),
                          )
                        }
                      />
                      <span className="merge-value">
                        <ValueText field={field} value={(side === 'own' ? record : other)[field.apiName]} />
                      </span>
                    </label>
                  ))}
                </fieldset>
              );
            })}
          </>
        ) : null}
        {merge.error ? <ProblemNotice problem={merge.error} /> : null}
        <Group>
          <Button disabled={!other} loading={merge.isPending} onClick={() => other && merge.mutate(other)}>
            {texts.merge}
          </Button>
          <Button variant="default" onClick={onClose}>
            {cancel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
