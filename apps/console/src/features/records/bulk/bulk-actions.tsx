import { BulkApi, type BulkOperation, type BulkResult, type CrmRecord, type RecordFields } from '@crm/api-client';
import { type FieldModel, type ObjectModel, RECORD_TEXTS, titleOf, useRecords } from '@crm/records-ui';
import { faultOf, fieldValue, inputOf, writableFields } from '@crm/records-ui/fields';
import { FieldInput } from '@crm/records-ui/record';
import { ProblemNotice, Question, useLocale, useTexts } from '@crm/ui';
import { Button, Checkbox, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import { showProblem, showUndo } from '../../shell/parts/undo.js';
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
      }).catch((problem: unknown) => {
        if (all.length === 0) throw problem;
        showProblem(problem);
      });
      return all;
    },
    // Also of a run that was cancelled, and when the table is gone: what was written is said all the same.
    onSuccess: (all, { operation, records: some }) => {
      const done = all.filter(({ status }) => status !== 'failed');
      const refused = all.filter(({ status }) => status === 'failed');
      if (operation === 'delete') offerUndo(done.map(({ id = '' }) => id));
      else if (done.length > 0) notifications.show({ message: texts.changed(done.length), withCloseButton: false });
      if (operation === 'delete' && done.length === some.length) onDeleted();
      if (refused.length === 0) return;
      const rows = refused.map((result) => ({ result, name: titleOf(model, some[result.index] as CrmRecord) }));
      notifications.show({
        autoClose: false,
        title: texts.refused(rows.length),
        message: <RefusedRecords model={model} rows={rows} />,
      });
    },
    onSettled: again,
  });
  const undo = async (ids: readonly string[]): Promise<void> => {
    const left: string[] = [];
    let first: unknown;
    for (const id of ids) {
      await calls.restore(model.name, id).catch((problem: unknown) => {
        first ??= problem;
        left.push(id);
      });
    }
    if (left.length < ids.length) notifications.show({ message: texts.restored(ids.length - left.length) });
    if (left.length > 0) showProblem(first);
    offerUndo(left);
    await again();
  };
  const offerUndo = (ids: readonly string[]): void => {
    if (ids.length === 0) return;
    showUndo({ id: `deleted-${ids[0]}`, text: texts.deleted(ids.length), undo: () => undo(ids) });
  };
  const fields = writableFields(model);
  const close = (): void => {
    controller.current?.abort();
    setDialog(undefined);
    run.reset();
  };
  const sent = run.variables?.records ?? [];
  const start = (operation: BulkOperation, values: RecordFields): void =>
    // A run that was cancelled closes no other dialog.
    run.mutate({ operation, records, fields: values }, { onSuccess: () => setDialog(undefined) });
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
    </>
  );
}

interface EditFormProps {
  readonly fields: readonly FieldModel[];
  readonly count: number;
  readonly problem: unknown;
  readonly onSave: (values: RecordFields) => void;
}

const yesAndNo = ({ yes, no }: { readonly yes: string; readonly no: string }) => [
  { value: 'true', label: yes },
  { value: 'false', label: no },
];

/** One value for one field of all. No value empties the field only where that is asked for. */
function EditForm({ fields, count, problem, onSave }: EditFormProps) {
  const texts = useTexts(BULK_TEXTS);
  const words = useTexts(RECORD_TEXTS);
  const { tag } = useLocale();
  const [field, setField] = useState(fields[0] as FieldModel);
  const isTick = field.type === 'checkbox';
  const [value, setValue] = useState(isTick ? '' : inputOf(field, undefined, tag));
  const [fault, setFault] = useState<'missing' | 'notANumber'>();
  const [isEmptied, setEmptied] = useState(false);
  const canBeEmptied = !field.required && faultOf({ ...field, required: true }, value, tag) === 'missing';
  const isUndecided = canBeEmptied && !isEmptied;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isUndecided) return;
    const found = faultOf(field, value, tag);
    setFault(found);
    const isYesOrNo = isTick && value !== '';
    if (!found) onSave({ [field.apiName]: isYesOrNo ? value === 'true' : fieldValue(field, value, tag) });
  };
  const choose = (name: string): void => {
    const next = fields.find(({ apiName }) => apiName === name) as FieldModel;
    setField(next);
    setValue(next.type === 'checkbox' ? '' : inputOf(next, undefined, tag));
    setFault(undefined);
    setEmptied(false);
  };
  const shown: FieldModel = {
    ...field,
    ...(fields.length > 1 ? { label: texts.value } : {}),
    // A tick that nobody has set would say no.
    ...(isTick ? { type: 'picklist', options: yesAndNo(words) } : {}),
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
          field={shown}
          value={value}
          onChange={(next) => {
            setValue(next);
            setEmptied(false);
          }}
          {...(fault ? { problem: words[fault] } : {})}
        />
        {canBeEmptied ? (
          <Checkbox
            label={texts.empty}
            checked={isEmptied}
            onChange={({ currentTarget }) => setEmptied(currentTarget.checked)}
          />
        ) : null}
        {problem ? <ProblemNotice problem={problem} /> : null}
        <Button type="submit" disabled={isUndecided} style={{ alignSelf: 'start' }}>
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
