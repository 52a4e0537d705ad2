import type { CrmRecord } from '@crm/api-client';
import { EmptyNotice, LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, NativeSelect, Paper, Text, Title } from '@mantine/core';
import { BOARD_SIZE, useBoard, useUpdate } from '../data/record.queries.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatMoney, ReferenceName } from '../values/format-value.js';
import { RecordLink } from '../values/record-link.js';
import { type Stage, stagesOf } from './stages.js';

export interface PipelineProps {
  readonly model: ObjectModel;
  readonly onCreate: () => void;
}

/** The open opportunities by stage. */
export function Pipeline({ model, onCreate }: PipelineProps) {
  const texts = useTexts(TEXTS);
  const board = useBoard();
  const move = useUpdate('opportunities');
  if (!board.data) {
    return board.error ? (
      <ProblemNotice problem={board.error} onRetry={board.refetch} />
    ) : (
      <LoadingLines label={texts.loading} />
    );
  }
  if (board.data.data.length === 0) {
    return (
      <EmptyNotice
        title={texts.empty(model.pluralLabel)}
        text={texts.emptyText}
        action={model.creatable ? <Button onClick={onCreate}>{texts.create(model.label)}</Button> : null}
      />
    );
  }
  const stages = stagesOf(board.data.data);
  return (
    <>
      {move.error ? <ProblemNotice problem={move.error} /> : null}
      {board.data.nextCursor ? (
        <Text size="sm" c="dimmed">
          {texts.boardIsCut(BOARD_SIZE)}
        </Text>
      ) : null}
      {/* Scrolled with the keyboard too, which needs the focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="board" aria-label={texts.board} tabIndex={0}>
        {stages.map((stage) => (
          <StageColumn
            key={stage.name ?? ''}
            stage={stage}
            stages={stages}
            model={model}
            onMove={(id, fields) => move.mutate({ id, fields })}
          />
        ))}
      </section>
    </>
  );
}

interface StageColumnProps {
  readonly stage: Stage;
  readonly stages: readonly Stage[];
  readonly model: ObjectModel;
  readonly onMove: (id: string, fields: Readonly<Record<string, string>>) => void;
}

function StageColumn({ stage, stages, model, onMove }: StageColumnProps) {
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  return (
    <section className="stage" aria-label={stage.name ?? texts.noStage}>
      <Title order={2} size="sm">
        {stage.name ?? texts.noStage}{' '}
        <Text span c="dimmed" inherit>
          {stage.records.length}
        </Text>
      </Title>
      <Text size="sm" c="dimmed" mih="1.6em">
        {stage.sums.map(([currency, sum]) => formatMoney(sum, currency, tag)).join(' · ')}
      </Text>
      <ul>
        {stage.records.map((record) => (
          <Paper key={record.id} component="li" withBorder p="sm">
            <Card record={record} stage={stage} stages={stages} model={model} onMove={onMove} />
          </Paper>
        ))}
      </ul>
    </section>
  );
}

function Card({ record, stage, stages, model, onMove }: StageColumnProps & { readonly record: CrmRecord }) {
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  const title = titleOf(model, record) || texts.untitled;
  const { amount, currency, companyId } = record;
  return (
    <>
      <RecordLink model={model} id={record.id}>
        {title}
      </RecordLink>
      {typeof companyId === 'string' ? (
        <Text size="sm">
          <ReferenceName target="companies" id={companyId} />
        </Text>
      ) : null}
      {typeof amount === 'number' ? (
        <Text size="sm" fw={600}>
          {formatMoney(amount, typeof currency === 'string' ? currency : undefined, tag)}
        </Text>
      ) : null}
      {model.updatable ? (
        <NativeSelect
          size="xs"
          mt="xs"
          aria-label={texts.move(title)}
          value=""
          data={[
            { value: '', label: texts.moveTo },
            ...stages
              .filter(({ name }) => name !== null && name !== stage.name)
              .map(({ name }) => ({ value: `stage:${name}`, label: name ?? '' })),
            { value: 'won', label: texts.won },
            { value: 'lost', label: texts.lost },
          ]}
          onChange={({ currentTarget: { value } }) =>
            onMove(record.id, value.startsWith('stage:') ? { stage: value.slice(6) } : { status: value })
          }
        />
      ) : null}
    </>
  );
}
