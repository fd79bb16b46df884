/** A call of a port, as its caller saw it. */
export interface Operation<Input, Output> {
  readonly input: Input;
  /** Absent when no answer came: it may have happened at any time since, or never. */
  readonly output?: Output;
  /** When it was called and when it was answered, by a counter. */
  readonly calledAt: number;
  readonly answeredAt: number;
}

/** Records what concurrent callers ask and are answered. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  private time = 0;

  /** @returns the answer, or undefined if there was none */
  record(input: Input, call: () => Output | Promise<Output>): Promise<Output | undefined> {
    return this.recordAll([input], async () => {
      const output = await call();
      return { answer: output, outputs: [output] };
    });
  }

  /** The same for a call that is one for each of several keys. */
  async recordAll<Answer>(
    inputs: readonly Input[],
    call: () => Promise<{ readonly answer: Answer; readonly outputs: readonly Output[] }>,
  ): Promise<Answer | undefined> {
    const calledAt = this.time++;
    try {
      const { answer, outputs } = await call();
      const answeredAt = this.time++;
      for (const [index, input] of inputs.entries())
        this.operations.push({ input, output: outputs[index]!, calledAt, answeredAt });
      return answer;
    } catch {
      for (const input of inputs) this.operations.push({ input, calledAt, answeredAt: Infinity });
      return undefined;
    }
  }
}

/** The operations of each key: a history is linearizable if those of each key are, whatever the others do. */
export function byKey<Input, Output>(
  operations: readonly Operation<Input, Output>[],
  keyOf: (input: Input) => string,
): ReadonlyMap<string, readonly Operation<Input, Output>[]> {
  const keys = new Map<string, Operation<Input, Output>[]>();
  for (const operation of operations) {
    const key = keyOf(operation.input);
    keys.set(key, [...(keys.get(key) ?? []), operation]);
  }
  return keys;
}
