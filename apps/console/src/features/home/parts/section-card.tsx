import type { CrmRecord, RecordPage } from '@crm/api-client';
import { CellValue, formatMoney, type ObjectModel, RECORD_TEXTS, RecordLink, titleOf } from '@crm/records-ui';
import { EmptyNotice, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Anchor, Button, Group, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { HOME_TEXTS } from '../home.texts.js';
import type { Section } from '../sections.js';
import { CompleteTask } from './complete-task.js';

export interface SectionCardProps {
  readonly section: Section;
  readonly model: ObjectModel;
  readonly list: Pick<UseQueryResult<RecordPage>, 'data' | 'error' | 'refetch'>;
}

export function SectionCard({ section, model, list: { data, error, refetch } }: SectionCardProps) {
  const texts = useTexts(HOME_TEXTS);
  const { create, untitled } = useTexts(RECORD_TEXTS);
  const { name, filter, sort, below, beside } = section;
  const { title, empty, hint } = texts[name];
  const belowField = model.fields.find(({ apiName }) => apiName === below);
  const list = { to: '/records/$object', params: { object: model.apiName } } as const;
  return (
    <section className="day-card" aria-labelledby={`day-${name}`}>
      <Group justify="space-between" wrap="nowrap" px="md" py="xs">
        <Title order={2} size="h5" id={`day-${name}`}>
          {title}
        </Title>
        <Anchor
          size="sm"
          flex="none"
          aria-label={texts.showAllOf(title)}
          renderRoot={(props: object) => <Link {...list} search={{ filter, sort }} {...props} />}
        >
          {texts.showAll}
        </Anchor>
      </Group>
      {data === undefined ? (
        <ProblemNotice problem={error} onRetry={refetch} />
      ) : data.data.length === 0 ? (
        <EmptyNotice
          title={empty}
          text={hint}
          action={
            model.creatable ? (
              <Button
                variant="default"
                size="xs"
                renderRoot={(props: object) => <Link {...list} search={{ new: true }} {...props} />}
              >
                {create(model.label)}
              </Button>
            ) : null
          }
        />
      ) : (
        <ul className="day-rows">
          {data.data.map((record) => {
            const called = titleOf(model, record) || untitled;
            return (
              <li key={record.id}>
                {name === 'tasks' && model.updatable ? <CompleteTask task={record} title={called} /> : null}
                <div className="day-title">
                  <RecordLink model={model} id={record.id}>
                    {called}
                  </RecordLink>
                  {belowField && (record[below] ?? '') !== '' ? (
                    <span className="records-second">
                      <CellValue field={belowField} record={record} />
                    </span>
                  ) : null}
                </div>
                <div className="day-beside">
                  {beside.map((field) => (
                    <Beside key={field} model={model} name={field} record={record} />
                  ))}
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

interface BesideProps {
  readonly model: ObjectModel;
  readonly name: string;
  readonly record: CrmRecord;
}

/** A number as lists show it; a day with its name. What is due and past is marked. */
function Beside({ model, name, record }: BesideProps) {
  const { overdue } = useTexts(HOME_TEXTS);
  const { tag } = useLocale();
  const field = model.fields.find(({ apiName }) => apiName === name);
  const value = record[name];
  if (name === 'amount' && typeof value === 'number') return formatMoney(value, String(record.currency ?? ''), tag);
  if (typeof value !== 'string') return field && value ? <CellValue field={field} record={record} /> : null;
  const text = new Intl.DateTimeFormat(tag, {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
    // A date has no time zone: it is the same day everywhere.
    timeZone: field?.type === 'date' ? 'UTC' : undefined,
  }).format(new Date(value));
  const isOverdue = name === 'dueAt' && isBeforeToday(value);
  return (
    <>
      <span className={isOverdue ? 'day-overdue' : undefined}>{text}</span>
      {isOverdue ? <span className="day-overdue">{overdue}</span> : null}
    </>
  );
}

const isBeforeToday = (moment: string): boolean => new Date(moment) < new Date(new Date().setHours(0, 0, 0, 0));
