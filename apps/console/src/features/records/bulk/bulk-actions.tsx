import { BulkApi, type BulkOperation, type BulkResult, type CrmRecord, type RecordFields } from '@crm/api-client';
import { type FieldModel, type ObjectModel, RECORD_TEXTS, titleOf, useRecords } from '@crm/records-ui';
import { faultOf, fieldValue, inputOf, writableFields } from '@crm/records-ui/fields';
import { FieldInput } from '@crm/records-ui/record';
import { ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import { Question } from '../../sign-in/parts/confirm.js';
import { BULK_TEXTS } from './bulk.texts.js';
import { runBulk } from './bulk-run.js';
import { RefusedRecords } from './refused-records.js';

export interface BulkActionsProps {
  readonly model: ObjectModel;
  /** The selected ones. */
  readonly records: readonly CrmRecord[];
  readonly onDeleted: () => void;
}

/** What is being written. */
interface Work {
  readonly operation: BulkOperation;
  readonly records: readonly CrmRecord[];
  readonly fields: RecordFields;
}

const isOfUsers = ({ target }: FieldModel): boolean => target === 'user';

/** Changes or deletes the selected records, with progress, and says which were refused. */
export function BulkActions({ model, records, onDeleted }: BulkActionsProps) {
  const texts = useTexts(BULK_TEXTS);
  const client = useQueryClient();
  const { api: calls } = useRecords();
  const api = useMemo(() => new BulkApi(calls), [calls]);
  const [dialog, setDialog] = useState<'edit' | 'assign' | 'delete'>();
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const controller = useRef<AbortController>(undefined);
  const again = () => client.invalidateQueries({ queryKey: ['records', model.name] });
  const run = useMutation({
    mutationFn: async ({ operation, records: some, fields }: Work) => {
      controller.current = new AbortController();
      const { signal } = controller.current;
      const all: BulkResult[] = [];
      setResults(all);
      await runBulk({
        ...{ api, object: model.name, operation, key: crypto.randomUUID(), signal },
        records: some.map(({ id }) => ({ id, ...fields })),
        onPart: (part) => {
          all.push(...part);
          setResults([...all]);
        },
      });
      return all;
    },
    onSuccess: (all, { operation, records: some }) => {
      setDialog(undefined);
      const done = all.filter(({ status }) => status !== 'failed');
      if (operation === 'update') notifications.show({ message: texts.changed(done.length) });
      else {
        offerUndo(done.map(({ id = '' }) => id));
        if (done.length === some.length) onDeleted();
      }
    },
    onSettled: again,
  });
  const undo = async (ids: readonly string[]): Promise<void> => {
    try {
      for (const id of ids) await api.restore(model.name, id);
      notifications.show({ message: texts.restored(ids.length) });
    } catch (problem) {
      notifications.show({ message: <ProblemNotice problem={problem} />, autoClose: false });
    }
    await again();
  };
  const offerUndo = (ids: readonly string[]): void => {
    if (ids.length === 0) return;
    const notice = notifications.show({
      autoClose: 15_000,
      message: (
        <Group justify="space-between">
          {texts.deleted(ids.length)}
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => {
              notifications.hide(notice);
              void undo(ids);
            }}
          >
            {texts.undo}
          </Button>
        </Group>
      ),
    });
  };
  const fields = writableFields(model);
  const close = (): void => {
    controller.current?.abort();
    setDialog(undefined);
    run.reset();
  };
  const failed = run.isSuccess ? results.filter(({ status }) => status === 'failed') : [];
  const sent = run.variables?.records ?? [];
  const start = (operation: BulkOperation, values: RecordFields): void =>
    run.mutate({ operation, records, fields: values });
  const progress = run.isPending ? <BulkProgress done={results.length} all={sent.length} onCancel={close} /> : null;
  const open = (which: typeof dialog): void => {
    run.reset();
    setDialog(which);
  };
  return (
    <>
      {model.updatable && fields.length > 0 ? (
        <Button size="compact-sm" variant="default" onClick={() => open('edit')}>
          {texts.edit}
        </Button>
      ) : null}
      {model.updatable && fields.some(isOfUsers) ? (
        <Button size="compact-sm" variant="default" onClick={() => open('assign')}>
          {texts.assign}
        </Button>
      ) : null}
      {model.deletable ? (
        <Button size="compact-sm" variant="default" onClick={() => open('delete')}>
          {texts.delete(records.length)}
        </Button>
      ) : null}
      {dialog === 'edit' || dialog === 'assign' ? (
        <Modal opened onClose={close} title={texts[dialog]} closeButtonProps={{ 'aria-label': texts.close }}>
          {progress ?? (
            <EditForm
              fields={dialog === 'assign' ? fields.filter(isOfUsers) : fields}
              count={records.length}
              problem={run.error}
              onSave={(values) => start('update', values)}
            />
          )}
        </Modal>
      ) : null}
      {dialog === 'delete' ? (
        <Question title={texts.deleteTitle(records.length)} onClose={close}>
          {progress ?? (
            <>
              <Text>{texts.deleteText}</Text>
              {run.error ? <ProblemNotice problem={run.error} /> : null}
              <Group justify="end">
                <Button variant="default" onClick={close}>
                  {texts.cancel}
                </Button>
                <Button color="red" onClick={() => start('delete', {})}>
                  {texts.delete(records.length)}
                </Button>
              </Group>
            </>
          )}
        </Question>
      ) : null}
      {failed.length > 0 && !dialog ? (
        <RefusedRecords
          model={model}
          rows={failed.map((result) => ({ result, name: titleOf(model, sent[result.index] as CrmRecord) }))}
          onClose={close}
        />
      ) : null}
    </>
  );
}

interface EditFormProps {
  readonly fields: readonly FieldModel[];
  readonly count: number;
  readonly problem: unknown;
  readonly onSave: (values: RecordFields) => void;
}

/** One value for one field of all. */
function EditForm({ fields, count, problem, onSave }: EditFormProps) {
  const texts = useTexts(BULK_TEXTS);
  const words = useTexts(RECORD_TEXTS);
  const { tag } = useLocale();
  const [field, setField] = useState(fields[0] as FieldModel);
  const [value, setValue] = useState(inputOf(field, undefined, tag));
  const [fault, setFault] = useState<'missing' | 'notANumber'>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = faultOf(field, value, tag);
    setFault(found);
    if (!found) onSave({ [field.apiName]: fieldValue(field, value, tag) });
  };
  const choose = (name: string): void => {
    const next = fields.find(({ apiName }) => apiName === name) as FieldModel;
    setField(next);
    setValue(inputOf(next, undefined, tag));
    setFault(undefined);
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        {fields.length > 1 ? (
          <NativeSelect
            label={texts.field}
            value={field.apiName}
            data={fields.map(({ apiName, label }) => ({ value: apiName, label }))}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
        ) : null}
        <FieldInput
          key={field.apiName}
          field={fields.length > 1 ? { ...field, label: texts.value } : field}
          value={value}
          onChange={setValue}
          {...(fault ? { problem: words[fault] } : {})}
        />
        {problem ? <ProblemNotice problem={problem} /> : null}
        <Button type="submit" style={{ alignSelf: 'start' }}>
          {texts.save(count)}
        </Button>
      </Stack>
    </form>
  );
}

export function BulkProgress({
  done,
  all,
  onCancel,
}: {
  readonly done: number;
  readonly all: number;
  readonly onCancel: () => void;
}) {
  const texts = useTexts(BULK_TEXTS);
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {texts.progress(done, all)}
      </Text>
      <progress className="bulk-progress" value={done} max={all} aria-label={texts.progress(done, all)} />
      <Button variant="default" style={{ alignSelf: 'start' }} onClick={onCancel}>
        {texts.cancel}
      </Button>
    </Stack>
  );
}
