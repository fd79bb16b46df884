export type FaultKind = 'await' | 'order' | 'key' | 'sql' | 'lua';
export const kinds: Readonly<Record<FaultKind, string>>;
/** A fault, and the place in the text that it replaces. */
export interface PlantedFault {
  readonly kind: FaultKind;
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}
export function faultsIn(path: string, text: string, wanted?: readonly string[]): readonly PlantedFault[];
