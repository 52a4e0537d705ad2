import { type ObjectModel, useRecords } from '@crm/records-ui';
import { Act, Loaded, useTexts } from '@crm/ui';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useAdministers } from '../shell/shell.queries.js';
import type { OptionDraft } from './option-draft.js';
import { OptionCard } from './parts/option-card.js';
import { SettingsPage } from './parts/settings-page.js';
import { deletePipeline, replaceOptions, savePipeline, usePicklistChange, usePicklists } from './picklists.queries.js';
import { PICKLIST_TEXTS } from './picklists.texts.js';

/** What deals go through, and what can be chosen in the fields that belong to the workspace. */
export default function PicklistsPage() {
  const texts = useTexts(PICKLIST_TEXTS);
  const query = usePicklists(useRecords().objects);
  const readOnly = !useAdministers();
  return (
    <SettingsPage name="picklists" lead={texts.lead}>
      <Loaded query={query} label={texts.lead}>
        {({ pipelines, picklists }) => (
          <>
            {pipelines.length > 0 ? <Pipelines pipelines={pipelines} readOnly={readOnly} /> : null}
            {picklists.map((picklist) => (
              <Picklist key={`${picklist.model.apiName}.${picklist.field}`} {...picklist} readOnly={readOnly} />
            ))}
          </>
        )}
      </Loaded>
    </SettingsPage>
  );
}

interface PicklistProps {
  readonly model: ObjectModel;
  readonly field: string;
  readonly options: readonly OptionDraft[];
  readonly readOnly: boolean;
}

function Picklist({ model, field, options, readOnly }: PicklistProps) {
  const save = usePicklistChange(replaceOptions(model.apiName, field));
  const label = model.fields.find(({ apiName }) => apiName === field)?.label ?? field;
  return (
    <OptionCard title={`${model.label}: ${label}`} options={options} others={[]} save={save} readOnly={readOnly} />
  );
}

interface PipelineDraft {
  /** None while it is not saved. */
  readonly id?: string;
  readonly name: string;
  readonly stages: readonly OptionDraft[];
}

interface PipelinesProps {
  readonly pipelines: readonly PipelineDraft[];
  readonly readOnly: boolean;
}

function Pipelines({ pipelines, readOnly }: PipelinesProps) {
  const texts = useTexts(PICKLIST_TEXTS);
  const [added, setAdded] = useState<PipelineDraft>();
  const stage = (meaning: 'open' | 'won' | 'lost', probability: number): OptionDraft => ({
    ...{ value: '', label: texts.newStages[meaning], active: true, meaning, probability },
  });
  const add = (): void =>
    setAdded({ name: texts.newPipeline, stages: [stage('open', 10), stage('won', 100), stage('lost', 0)] });
  return (
    <>
      {[...pipelines, ...(added ? [added] : [])].map((pipeline) => (
        <PipelineCard
          key={pipeline.id ?? 'new'}
          pipeline={pipeline}
          others={pipelines.flatMap((one) => (one === pipeline ? [] : one.stages.map(({ value }) => value)))}
          readOnly={readOnly}
          canDelete={pipelines.length > 1}
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
  readonly pipeline: PipelineDraft;
  readonly others: readonly string[];
  readonly readOnly: boolean;
  readonly canDelete: boolean;
  readonly onSaved: () => void;
}

function PipelineCard({ pipeline: { id, name, stages }, canDelete, ...card }: PipelineCardProps) {
  const texts = useTexts(PICKLIST_TEXTS);
  const save = usePicklistChange(savePipeline(id));
  const remove = usePicklistChange(deletePipeline);
  return (
    <OptionCard
      {...card}
      title={`${texts.pipeline}: ${name}`}
      name={name}
      options={stages}
      save={save}
      isNew={id === undefined}
      action={
        canDelete && id ? (
          <Act
            act={texts.deletePipeline}
            title={texts.deleteTitle(name)}
            text={texts.deleteText}
            words={{ CONFLICT: texts.pipelineInUse }}
            button={{ variant: 'subtle', color: 'red' }}
            onAct={() => remove.mutateAsync(id)}
          />
        ) : null
      }
    />
  );
}
