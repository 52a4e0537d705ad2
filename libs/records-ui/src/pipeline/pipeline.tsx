import { type CrmRecord, problemInWords } from '@crm/api-client';
import { Button, Loading, Notice, useLocale, useTexts } from '@crm/ui';
import { BOARD_SIZE, useBoard, useUpdate } from '../data/record.queries.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatMoney, ReferenceName } from '../values/value-text.js';

/** A column of the pipeline. */
interface Stage {
  /** Null for opportunities without a stage. */
  readonly name: string | null;
  readonly records: readonly CrmRecord[];
  /** Sums of the amounts by currency; the empty text for amounts without one. */
  readonly sums: readonly (readonly [currency: string, sum: number])[];
}

/**
 * The stages of sales as most teams order them. A stage is free text, so that those that are none of these follow, by alphabet.
 */
const USUAL_ORDER = [
  'new',
  'lead',
  'qualification',
  'qualified',
  'discovery',
  'meeting',
  'demo',
  'proposal',
  'quote',
  'negotiation',
  'contract',
];

/** @param records open opportunities */
export function stagesOf(records: readonly CrmRecord[]): readonly Stage[] {
  const byName = new Map<string | null, CrmRecord[]>();
  for (const record of records) {
    const name = typeof record.stage === 'string' && record.stage !== '' ? record.stage : null;
    byName.set(name, [...(byName.get(name) ?? []), record]);
  }
  return [...byName]
    .sort(([one], [other]) => compareStages(one, other))
    .map(([name, own]) => ({ name, records: own, sums: sumsOf(own) }));
}

function compareStages(one: string | null, other: string | null): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? -1 : 1;
  const [left, right] = [rankOf(one), rankOf(other)];
  return left === right ? one.localeCompare(other) : left - right;
}

function rankOf(stage: string): number {
  const rank = USUAL_ORDER.indexOf(stage.trim().toLowerCase());
  return rank < 0 ? USUAL_ORDER.length : rank;
}

function sumsOf(records: readonly CrmRecord[]): Stage['sums'] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of records) {
    if (typeof amount !== 'number') continue;
    const key = typeof currency === 'string' ? currency : '';
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return [...sums];
}

interface PipelineProps {
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
