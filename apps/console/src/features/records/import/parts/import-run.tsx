import { BulkApi, type BulkResult } from '@crm/api-client';
import { type ObjectModel, useRecords } from '@crm/records-ui';
import { Confirm, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useBlocker } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { BulkProgress } from '../../bulk/bulk-actions.js';
import { runBulk } from '../../bulk/bulk-run.js';
import { reasonOf } from '../../bulk/reason.js';
import { type CsvFile, writeCsv } from '../csv-file.js';
import { IMPORT_TEXTS } from '../import.texts.js';
import type { ImportedRow } from '../rows.js';

/** Refused rows that the page lists; the file has all. */
const LISTED = 20;

export interface ImportRunProps {
  readonly model: ObjectModel;
  readonly file: CsvFile;
  readonly rows: readonly ImportedRow[];
  readonly onRestart: () => void;
}

/** Imports at once, shows how far it is, and then which rows were refused. What has no answer goes on with the same keys. */
export function ImportRun({ model, file, rows, onRestart }: ImportRunProps) {
  const texts = useTexts(IMPORT_TEXTS);
  const { language } = useLocale();
  const { api: calls } = useRecords();
  const api = useMemo(() => new BulkApi(calls), [calls]);
  const client = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  const sent = useMemo(() => rows.filter(({ faults }) => faults.length === 0), [rows]);
  const [results, setResults] = useState<ReadonlyMap<number, BulkResult>>(new Map());
  const controller = useRef<AbortController>(undefined);
  const run = useMutation({
    mutationFn: async () => {
      controller.current = new AbortController();
      await runBulk({
        ...{ api, object: model.name, operation: 'create', key, signal: controller.current.signal },
        records: sent.map(({ fields }) => fields),
        onPart: (part) => setResults((all) => new Map([...all, ...part.map((one) => [one.index, one] as const)])),
      });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['records', model.name] }),
  });
  const { mutate } = run;
  useEffect(() => {
    mutate();
    return () => controller.current?.abort();
  }, [mutate]);
  const leaving = useBlocker({
    shouldBlockFn: () => run.isPending,
    enableBeforeUnload: () => run.isPending,
    withResolver: true,
  });

  if (run.isPending || run.isIdle) {
    return (
      <>
        <Title order={2} size="h5" mb="sm">
          {texts.running}
        </Title>
        <BulkProgress done={results.size} all={sent.length} onCancel={() => controller.current?.abort()} />
        {leaving.status === 'blocked' ? (
          <Confirm
            title={texts.leaveTitle}
            text={texts.leaveText}
            act={texts.leave}
            onAct={async () => leaving.proceed()}
            onClose={leaving.reset}
          />
        ) : null}
      </>
    );
  }
  const reasons = new Map<number, string>();
  for (const { index, faults } of rows) {
    if (faults.length > 0) {
      reasons.set(index, faults.map(({ field, fault }) => `${field.label}: ${texts.faults[fault]}`).join('; '));
    }
  }
  for (const [position, { index }] of sent.entries()) {
    const result = results.get(position);
    if (result?.status === 'failed') reasons.set(index, reasonOf(model, result, language));
  }
  const refused = [...reasons].sort(([one], [other]) => one - other);
  const left = sent.length - results.size;
  const download = (): void => {
    const lines = refused.map(([index, reason]) => [...(file.rows[index] ?? []), reason]);
    save(
      `${file.name.replace(/\.\w+$/, '')}-refused.csv`,
      writeCsv([[...file.columns, texts.reason], ...lines], file.delimiter),
    );
  };
  return (
    <>
      <div role="status">
        <Title order={2} size="h5">
          {texts.created(sent.length - left - refused.length + (rows.length - sent.length))}
        </Title>
      </div>
      {run.error ? <ProblemNotice problem={run.error} /> : null}
      {left > 0 ? (
        <Group mt="sm" gap="xs">
          <Text size="sm">{texts.cancelled(left)}</Text>
          <Button size="compact-sm" variant="default" onClick={() => mutate()}>
            {texts.again}
          </Button>
        </Group>
      ) : null}
      {refused.length > 0 ? (
        <>
          <Group mt="sm" mb="xs" gap="xs">
            <Text size="sm" fw={500}>
              {texts.refused(refused.length)}
            </Text>
            <Button size="compact-sm" variant="default" onClick={download}>
              {texts.download}
            </Button>
          </Group>
          <ul className="refused">
            {refused.slice(0, LISTED).map(([index, reason]) => (
              <li key={index}>
                <Text size="sm">
                  {/* As a spreadsheet counts, where the first row has the names. */}
                  <b>{texts.row(index + 2)}</b> {reason}
                </Text>
              </li>
            ))}
          </ul>
          {refused.length > LISTED ? (
            <Text size="sm" c="dimmed" mt="xs">
              {texts.more(refused.length - LISTED)}
            </Text>
          ) : null}
        </>
      ) : null}
      <Group mt="md" gap="xs">
        <Button
          renderRoot={(props: object) => <Link to="/records/$object" params={{ object: model.apiName }} {...props} />}
        >
          {texts.list(model.pluralLabel)}
        </Button>
        <Button variant="default" onClick={onRestart}>
          {texts.other}
        </Button>
      </Group>
    </>
  );
}

function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
