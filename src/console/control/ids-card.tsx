import { useState } from 'preact/hooks';
import { ActionForm, Field } from '../ui/action-form.tsx';
import { ActionButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { useLoaded } from '../ui/hooks.ts';
import { Card } from './card.tsx';

/** The card for the id generator of a sandbox: set a seed, or use random ids. */
export function IdsCard({ sandbox }: { readonly sandbox: string }) {
  const { api } = useConsole();
  const path = { id: sandbox };
  const { data, error, isLoading, reload } = useLoaded(`ids ${sandbox}`, () => api.send('getSandbox', { path }));
  const [seed, setSeed] = useState('1');
  const change = async () => {
    await api.send('seedIds', { path, body: { seed: Number(seed) } });
    await reload();
  };
  const randomize = async () => {
    await api.send('randomIds', { path });
    await reload();
  };
  const current = data?.ids.seed;
  return (
    <Card
      title="Ids"
      text="With the same seed, new entries always get the same ids in the same order."
      {...{ error, isLoading }}
    >
      <p>{current === undefined ? '–' : current === null ? 'Ids are random.' : `Ids have the seed ${current}.`}</p>
      <ActionForm action={change} done={`The ids have the seed ${seed}`}>
        <Field name="Seed">
          <input
            type="number"
            min="0"
            max="4294967295"
            required
            value={seed}
            onInput={(event) => setSeed(event.currentTarget.value)}
          />
        </Field>
        <button type="submit">Set seed</button>
        <ActionButton action={randomize} isDisabled={current === null} done="Ids are random">
          Use random ids
        </ActionButton>
      </ActionForm>
    </Card>
  );
}
