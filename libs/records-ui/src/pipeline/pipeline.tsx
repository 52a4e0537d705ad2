import { type CrmRecord, problemInWords } from '@crm/api-client';
import { Button, Loading, Notice, useLocale, useTexts } from '@crm/ui';
import { BOARD_SIZE, useBoard, useUpdate } from '../data/record.queries.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatMoney, ReferenceName } from '../values/format-value.js';
import { type Stage, stagesOf } from './stages.js';

export interface PipelineProps {
  readonly model: ObjectModel;
  readonly onOpen: (id: string) => void;
  readonly onCreate: () => void;
}

/** The open opportunities by stage. */
export function Pipeline({ model, onOpen, onCreate }: PipelineProps) {
  const texts = useTexts(TEXTS);
  const { language } = useLocale();
  const board = useBoard();
  const move = useUpdate('opportunities');
  if (!board.data) {
    if (!board.error) return <Loading label={texts.loading} />;
    const { title, text } = problemInWords(board.error, language);
    return (
      <Notice kind="error" title={title} action={<Button onClick={() => void board.refetch()}>{texts.retry}</Button>}>
        {text}
      </Notice>
    );
  }
  if (board.data.data.length === 0) {
    return (
      <div className="panel">
        <Notice
          kind="info"
          title={texts.empty(model.pluralLabel)}
          action={model.canWrite ? <Button onClick={onCreate}>{texts.create(model.label)}</Button> : null}
        >
          {texts.emptyText}
        </Notice>
      </div>
    );
  }
  const stages = stagesOf(board.data.data);
  const problem = move.error ? problemInWords(move.error, language) : undefined;
  return (
    <>
      {problem ? (
        <Notice kind="error" title={problem.title}>
          {problem.text}
        </Notice>
      ) : null}
      {board.data.nextCursor ? <p className="hint">{texts.boardIsCut(BOARD_SIZE)}</p> : null}
      {/* Scrolled with the keyboard too, which needs the focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="board" aria-label={texts.board} tabIndex={0}>
        {stages.map((stage) => (
          <StageColumn
            key={stage.name ?? ''}
            stage={stage}
            stages={stages}
            model={model}
            onOpen={onOpen}
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
  readonly onOpen: (id: string) => void;
  readonly onMove: (id: string, fields: Readonly<Record<string, string>>) => void;
}

function StageColumn({ stage, stages, model, onOpen, onMove }: StageColumnProps) {
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  return (
    <section className="stage" aria-label={stage.name ?? texts.noStage}>
      <h2>
        {stage.name ?? texts.noStage} <span className="stage-count">{stage.records.length}</span>
      </h2>
      <p className="stage-sum">{stage.sums.map(([currency, sum]) => formatMoney(sum, currency, tag)).join(' · ')}</p>
      <ul>
        {stage.records.map((record) => (
          <li key={record.id} className="card">
            <Card record={record} stage={stage} stages={stages} model={model} onOpen={onOpen} onMove={onMove} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Card({ record, stage, stages, model, onOpen, onMove }: StageColumnProps & { readonly record: CrmRecord }) {
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  const title = titleOf(model, record) || texts.untitled;
  const { amount, currency, companyId } = record;
  return (
    <>
      <Button look="link" onClick={() => onOpen(record.id)}>
        {title}
      </Button>
      {typeof companyId === 'string' ? (
        <p className="card-text">
          <ReferenceName target="companies" id={companyId} />
        </p>
      ) : null}
      {typeof amount === 'number' ? (
        <p className="card-amount">{formatMoney(amount, typeof currency === 'string' ? currency : undefined, tag)}</p>
      ) : null}
      {model.canWrite ? (
        <select
          className="input card-move"
          aria-label={texts.move(title)}
          value=""
          onChange={({ target: { value } }) =>
            onMove(record.id, value.startsWith('stage:') ? { stage: value.slice(6) } : { status: value })
          }
        >
          <option value="">{texts.moveTo}</option>
          {stages
            .filter(({ name }) => name !== null && name !== stage.name)
            .map(({ name }) => (
              <option key={name} value={`stage:${name}`}>
                {name}
              </option>
            ))}
          <option value="won">{texts.won}</option>
          <option value="lost">{texts.lost}</option>
        </select>
      ) : null}
    </>
  );
}
