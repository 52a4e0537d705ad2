import { type ObjectModel, useRecords } from '@crm/records-ui';
import { LoadingLines, ProblemNotice, useTexts } from '@crm/ui';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { useTitle } from '../records/use-title.js';
import { useCaller } from '../shell/shell.queries.js';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { Confirm } from '../sign-in/parts/confirm.js';
import type { OptionDraft } from './option-draft.js';
import { OptionCard } from './parts/option-card.js';
import {
  deletePipeline,
  PICKLISTS,
  replaceOptions,
  savePipeline,
  useOptions,
  usePicklistChange,
  usePipelines,
} from './picklists.queries.js';
import { PICKLIST_TEXTS } from './picklists.texts.js';

/** What deals go through, and what can be chosen in the fields that belong to the workspace. */
export default function PicklistsPage() {
  const texts = useTexts(PICKLIST_TEXTS);
  const { picklists: title } = useTexts(SHELL_TEXTS);
  useTitle(title);
  const { objects } = useRecords();
  const { data: caller } = useCaller(useApiClient());
  const readOnly = !caller?.roles.some((role) => role === 'owner' || role === 'admin');
  return (
    <Stack maw={720} gap="md">
      <Title order={1} size="h3">
        {title}
      </Title>
      <Text c="dimmed">{texts.lead}</Text>
      {objects.some(({ pipelines }) => pipelines.length > 0) ? <Pipelines readOnly={readOnly} /> : null}
      {PICKLISTS.flatMap(({ object, field }) => {
        const model = objects.find(({ apiName }) => apiName === object);
        return model ? <Picklist key={`${object}.${field}`} model={model} field={field} readOnly={readOnly} /> : [];
      })}
    </Stack>
  );
}

interface PicklistProps {
  readonly model: ObjectModel;
  readonly field: string;
  readonly readOnly: boolean;
}

function Picklist({ model, field, readOnly }: PicklistProps) {
  const { data, error, refetch } = useOptions(model.apiName, field);
  const save = usePicklistChange(replaceOptions(model.apiName, field));
  const label = model.fields.find(({ apiName }) => apiName === field)?.label ?? field;
  const title = `${model.label}: ${label}`;
  if (!data) return error ? <ProblemNotice problem={error} onRetry={refetch} /> : <LoadingLines label={title} />;
  return <OptionCard title={title} options={data} others={[]} save={save} readOnly={readOnly} />;
}

interface PipelineDraft {
  readonly id?: string;
  readonly name: string;
  readonly stages: readonly OptionDraft[];
}

function Pipelines({ readOnly }: { readonly readOnly: boolean }) {
  const texts = useTexts(PICKLIST_TEXTS);
  const { data, error, refetch } = usePipelines();
  const [added, setAdded] = useState<PipelineDraft>();
  if (!data) return error ? <ProblemNotice problem={error} onRetry={refetch} /> : <LoadingLines label={texts.lead} />;
  const all: PipelineDraft[] = added ? [...data, added] : data;
  const stage = (meaning: 'open' | 'won' | 'lost', probability: number): OptionDraft => ({
    ...{ value: '', label: texts.newStages[meaning], active: true, meaning, probability },
  });
  const add = (): void =>
    setAdded({ name: texts.newPipeline, stages: [stage('open', 10), stage('won', 100), stage('lost', 0)] });
  return (
    <>
      {all.map((pipeline) => (
        <PipelineCard
          key={pipeline.id ?? 'new'}
          pipeline={pipeline}
          others={data.flatMap((one) => (one === pipeline ? [] : one.stages.map(({ value }) => value)))}
          readOnly={readOnly}
          canDelete={data.length > 1 && pipeline !== added}
          onSaved={() => setAdded(undefined)}
        />
      ))}
      {added || readOnly ? null : (
        <Group>
          <Button variant="default" onClick={add}>
            {texts.addPipeline}
          </Button>
        </Group>
      )}
    </>
  );
}

interface PipelineCardProps {
  /** Without an id while it is not saved. */
  readonly pipeline: PipelineDraft;
  readonly others: readonly string[];
  readonly readOnly: boolean;
  readonly canDelete: boolean;
  readonly onSaved: () => void;
}

function PipelineCard({ pipeline, canDelete, ...card }: PipelineCardProps) {
  const texts = useTexts(PICKLIST_TEXTS);
  const { id = '', name, stages } = pipeline;
  const save = usePicklistChange(savePipeline(pipeline.id));
  const remove = usePicklistChange(deletePipeline);
  const [isAsked, setAsked] = useState(false);
  const button = (
    <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => setAsked(true)}>
      {texts.deletePipeline}
    </Button>
  );
  return (
    <>
      <OptionCard
        {...card}
        title={`${texts.pipeline}: ${name}`}
        name={name}
        options={stages}
        save={save}
        isNew={pipeline.id === undefined}
        action={canDelete ? button : null}
        problem={remove.error}
      />
      {isAsked ? (
        <Confirm
          title={texts.deleteTitle(name)}
          text={texts.deleteText}
          act={texts.deletePipeline}
          // A refusal is shown in the card.
          onAct={async () => {
            setAsked(false);
            remove.mutate(id);
          }}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
