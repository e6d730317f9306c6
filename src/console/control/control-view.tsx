import { useConsole } from '../ui/context.ts';
import { useObservable } from '../ui/hooks.ts';
import { ClockCard } from './clock-card.tsx';
import { FaultsCard } from './faults-card.tsx';
import { IdsCard } from './ids-card.tsx';
import { OperationsCard } from './operations-card.tsx';
import { SandboxesCard } from './sandboxes-card.tsx';
import { SnapshotsCard } from './snapshots-card.tsx';

/** The view that controls a sandbox: faults, operations, snapshots, clock and ids. */
export function ControlView() {
  const { sandbox } = useObservable(useConsole().router.route);
  return (
    <main class="control">
      <h1 class="visually-hidden">Control</h1>
      <div class="control-column">
        <FaultsCard sandbox={sandbox} />
        <OperationsCard sandbox={sandbox} />
      </div>
      <div class="control-column">
        <SandboxesCard sandbox={sandbox} />
        <SnapshotsCard sandbox={sandbox} />
        <ClockCard sandbox={sandbox} />
        <IdsCard sandbox={sandbox} />
      </div>
    </main>
  );
}
