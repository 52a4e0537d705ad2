import { ApiProblem, type CrmRecord } from '@crm/api-client';
import { EmptyNotice, LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, NativeSelect, Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { type DragEvent, type ReactNode, useState } from 'react';
import { type FieldOption, type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatMoney, ReferenceName } from '../values/format-value.js';
import { RecordLink } from '../values/record-link.js';
import { type Column, columnsOf, isActive, isOpen, pipelineOf, stagesOf } from './board.js';
import { BOARD_SIZE, useBoard, useMove } from './board.queries.js';

export interface PipelineProps {
  readonly model: ObjectModel;
  readonly onCreate: () => void;
  /** The first one when it is none. */
  readonly pipelineId: string | undefined;
  readonly onPipeline: (id: string) => void;
}

/** The open deals of a pipeline by stage. A card is dragged to another stage, or moved by its menu. */
export function Pipeline({ model, onCreate, pipelineId, onPipeline }: PipelineProps) {
  const texts = useTexts(TEXTS);
  const { id } = pipelineOf(model.pipelines, pipelineId);
  const isFirst = id === model.pipelines[0]?.id;
  const stages = stagesOf(model, id);
  const { board, counted, groups } = useBoard(model, id, model.pipelines.length > 1 ? stages : undefined, isFirst);
  const move = useMove(id);
  const [dragged, setDragged] = useState<CrmRecord>();
  const [said, setSaid] = useState('');
  const choice =
    model.pipelines.length > 1 ? (
      <NativeSelect
        mb="sm"
        maw="16rem"
        aria-label={texts.board}
        value={id}
        data={model.pipelines.map((pipeline) => ({ value: pipeline.id, label: pipeline.name }))}
        onChange={({ currentTarget: { value } }) => onPipeline(value)}
      />
    ) : null;
  if (!board.data) {
    return (
      <>
        {choice}
        {board.error ? (
          <ProblemNotice problem={board.error} onRetry={board.refetch} />
        ) : (
          <LoadingLines label={texts.loading} />
        )}
      </>
    );
  }
  const records = board.data.data;
  const problem = move.error ?? groups.error;
  const refusal = groups.error instanceof ApiProblem ? groups.error.code : '';
  const words = move.error ? undefined : { [refusal]: texts.notCounted };
  const onMove = (record: CrmRecord, stage: FieldOption): void => {
    if (record.stage === stage.value) return;
    setSaid('');
    const moved = texts.moved(titleOf(model, record) || texts.untitled, stage.label);
    move.mutate({ record, stage }, { onSuccess: () => setSaid(moved) });
  };
  const shared = { model, stages, dragged, setDragged, onMove };
  return (
    <>
      {choice}
      {records.length === 0 ? (
        <EmptyNotice
          title={texts.empty(model.pluralLabel)}
          text={texts.emptyBoard}
          action={model.creatable ? <Button onClick={onCreate}>{texts.create(model.label)}</Button> : null}
        />
      ) : null}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      {/* Scrolled with the keyboard too, which needs the focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="board" aria-label={texts.board} tabIndex={0}>
        {columnsOf(stages, records, counted).map((column) => (
          <StageColumn key={column.stage?.value ?? ''} column={column} {...shared} />
        ))}
        {model.updatable ? (
          <div className="board-ends">
            {stages
              .filter((stage) => !isOpen(stage) && isActive(stage))
              .map((stage) => (
                <DropZone key={stage.value} stage={stage} className={`board-end ${stage.meaning}`} {...shared}>
                  <Text size="sm" fw={600}>
                    {stage.label}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {texts.dropHere}
                  </Text>
                </DropZone>
              ))}
          </div>
        ) : null}
      </section>
      {/* Below the cards, so that nothing moves. */}
      {board.data.nextCursor ? (
        <Text size="sm" c="dimmed">
          {texts.boardIsCut(BOARD_SIZE, counted !== undefined)}
        </Text>
      ) : null}
      {problem ? (
        <div className="board-problem">
          <ProblemNotice problem={problem} words={words} onRetry={move.error ? undefined : groups.refetch} />
        </div>
      ) : null}
    </>
  );
}

interface BoardProps {
  readonly model: ObjectModel;
  readonly stages: readonly FieldOption[];
  /** The deal that is being dragged. */
  readonly dragged: CrmRecord | undefined;
  readonly setDragged: (record: CrmRecord | undefined) => void;
  readonly onMove: (record: CrmRecord, stage: FieldOption) => void;
}

interface DropZoneProps extends Pick<BoardProps, 'dragged' | 'setDragged' | 'onMove'> {
  readonly stage: FieldOption | null;
  readonly className: string;
  readonly children: ReactNode;
}

/** Takes the card that is being dragged; nothing is dropped on a stage that takes no deals. */
function DropZone({ stage, className, dragged, setDragged, onMove, children }: DropZoneProps) {
  const texts = useTexts(TEXTS);
  const [isOver, setOver] = useState(false);
  const takes = dragged !== undefined && stage !== null && isActive(stage) && stage.value !== dragged.stage;
  const onDragOver = (event: DragEvent): void => {
    if (!takes) return;
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    setDragged(undefined);
    if (takes) onMove(dragged, stage);
  };
  return (
    <section
      className={className}
      aria-label={stage?.label ?? texts.noStage}
      data-over={(isOver && takes) || undefined}
      onDragOver={onDragOver}
      onDragLeave={({ currentTarget, relatedTarget }) => setOver(currentTarget.contains(relatedTarget as Node | null))}
      onDrop={onDrop}
    >
      {children}
    </section>
  );
}

function StageColumn({ column, ...board }: BoardProps & { readonly column: Column }) {
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  const { stage, records, count, sums } = column;
  return (
    <DropZone stage={stage} className="stage" {...board}>
      <Title order={2} size="sm">
        {stage?.label ?? texts.noStage}{' '}
        <Text span c="dimmed" inherit>
          {count}
        </Text>
      </Title>
      <Text size="sm" c="dimmed" mih="1.6em">
        {sums.map(([currency, sum]) => formatMoney(sum, currency, tag)).join(' · ')}
      </Text>
      <ul>
        {records.map((record) => (
          <Card key={record.id} record={record} {...board} />
        ))}
      </ul>
    </DropZone>
  );
}

function Card({ record, model, stages, dragged, setDragged, onMove }: BoardProps & { readonly record: CrmRecord }) {
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  const title = titleOf(model, record) || texts.untitled;
  const { amount, currency, companyId } = record;
  const onDragStart = ({ dataTransfer }: DragEvent): void => {
    dataTransfer.effectAllowed = 'move';
    // Without data Firefox drags nothing.
    dataTransfer.setData('text/plain', title);
    setDragged(record);
  };
  return (
    <Paper
      component="li"
      withBorder
      p="sm"
      draggable={model.updatable}
      data-dragged={dragged?.id === record.id || undefined}
      onDragStart={onDragStart}
      onDragEnd={() => setDragged(undefined)}
    >
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
              .filter((stage) => isActive(stage) && stage.value !== record.stage)
              .map(({ value, label }) => ({ value, label })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            const stage = stages.find((one) => one.value === value);
            if (stage) onMove(record, stage);
          }}
        />
      ) : null}
    </Paper>
  );
}
