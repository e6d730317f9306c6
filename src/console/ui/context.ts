import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Console } from '../model/console.ts';

export const ConsoleContext = createContext<Console | undefined>(undefined);

/** Returns the objects that all components of the console share. */
export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (console === undefined) throw new Error('The component must be used inside ConsoleContext.Provider.');
  return console;
}
