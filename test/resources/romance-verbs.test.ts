import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };
const FLAG = { type: 'boolean' };

type Properties = Readonly<Record<string, Schema>>;

function createStates(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

/** `verbs`: the actions of a sale. `properties`: those of a sale. `request`: the schema of the bodies of actions. */
function createApi(verbs: readonly string[], properties: Properties, request?: Schema) {
  const actions = verbs.map((verb) => [
    `/ventes/{venteId}/${verb}`,
    { post: { ...(request && { request }), response: refer('Vente'), errors: [404, 409] } },
  ]);
  return {
    paths: {
      ...createResourcePaths('/ventes/{venteId}', refer('Vente'), createObject({ 'nom!': TEXT })),
      ...Object.fromEntries(actions),
    },
    schemas: { Vente: createObject({ 'id!': { type: 'integer' }, 'nom!': TEXT, ...properties }) },
  };
}

async function start(verbs: readonly string[], properties: Properties, request?: Schema) {
  const { ask } = await startApi(createApi(verbs, properties, request));
  const { body: created } = await ask('POST', '/ventes', { nom: 'a' });
  return { ask, created };
}

describe('an action with a verb in French, Spanish, Portuguese, Italian or German', () => {
  it.each<[verb: string, value: string]>([
    ['valider', 'validee'],
    ['valider', 'VALIDÉ'],
    ['annuler', 'annulee'],
    ['cloturer', 'cloture'],
    ['payer', 'paye'],
    ['finir', 'fini'],
    ['suspendre', 'suspendu'],
    ['cancelar', 'cancelado'],
    ['aprobar', 'aprobada'],
    ['cerrar', 'cerrado'],
    ['concluir', 'concluído'],
    ['annullare', 'annullato'],
    ['stornieren', 'storniert'],
    ['bestaetigen', 'bestätigt'],
    ['ablehnen', 'ABGELEHNT'],
    ['abschliessen', 'abgeschlossen'],
  ])('%s sets the status %s', async (verb, value) => {
    const { ask, created } = await start([verb], { statut: createStates('nouveau', value) });
    expect(created.statut).toBe('nouveau');
    expect((await ask('POST', `/ventes/1/${verb}`)).body.statut).toBe(value);
    expect((await ask('GET', '/ventes/1')).body.statut).toBe(value);
    expect((await ask('POST', `/ventes/1/${verb}`)).status).toBe(409);
  });

  it.each<[verb: string, flag: string, time: string]>([
    ['annuler', 'annulee', 'date_annulation'],
    ['annuler', 'est_annulee', 'annulee_le'],
    ['valider', 'validee', 'validated_at'],
    ['payer', 'paye', 'date_paiement'],
    ['aprobar', 'aprobado', 'fecha_aprobacion'],
  ])('%s sets the boolean %s and the time %s', async (verb, flag, time) => {
    const { ask, created } = await start([verb], { [flag]: FLAG, [time]: TIME, date_vente: TIME });
    expect(created).toEqual({ id: 1, nom: 'a', [flag]: false });
    const { body } = await ask('POST', `/ventes/1/${verb}`);
    expect(body).toEqual({ id: 1, nom: 'a', [flag]: true, [time]: expect.stringMatching(/^\d{4}-/) });
  });

  it('sets a reason with the noun of the verb', async () => {
    const properties = { annulee: FLAG, motif_annulation: TEXT };
    const { ask } = await start(['annuler'], properties, createObject({ 'motif!': TEXT }));
    expect((await ask('POST', '/ventes/1/annuler', { motif: 'erreur' })).body).toMatchObject({
      annulee: true,
      motif_annulation: 'erreur',
    });
  });

  it('is refused in a final state, except for actions that are possible afterwards', async () => {
    const statut = createStates('brouillon', 'validee', 'annulee', 'archivee');
    const { ask } = await start(['valider', 'annuler', 'archiver'], { statut });
    await ask('POST', '/ventes/1/annuler');
    expect((await ask('POST', '/ventes/1/valider')).status).toBe(409);
    expect((await ask('POST', '/ventes/1/archiver')).body.statut).toBe('archivee');
  });

  it('is explained', async () => {
    const explained = await explainApi(createApi(['annuler'], { statut: createStates('neuf', 'annulée') }));
    expect(explained['POST /ventes/{venteId}/annuler']).toBe('real: marks a vente as annulée: statut → "annulée"');
  });

  it.each<[verb: string, properties: Properties]>([
    ['valider', { statut: createStates('brouillon', 'valable') }],
    ['annuler', { statut: createStates('brouillon', 'cancelled') }],
    ['payer', { type: createStates('paye', 'gratuit') }],
    ['payer', { mode: createStates('paye', 'gratuit'), acces: createStates('paye', 'libre') }],
    ['payer', { date_vente: TIME }],
    ['order', { date_order: TIME }],
    ['user', { use: FLAG, usedAt: TIME }],
  ])('%s is mocked if no single property has its participle: %j', async (verb, properties) => {
    const explained = await explainApi(createApi([verb], properties));
    expect(explained[`POST /ventes/{venteId}/${verb}`]).toContain('mocked');
  });
});
