/** hardnet.d.ts - the types of hardnet.js: hard constraints for the outputs of neural networks, in WebAssembly. */

export as namespace hardnet;

export type Numbers = ArrayLike<number>;
export type Method = "auto" | "paper" | "hardnet" | "lm" | "nearest" | "enforce" | "snarenet" | "optimal";
export type Outcome =
    | "ok" | "iteration_limit" | "locally_infeasible" | "stalled"
    | "bad_bounds" | "nonfinite_input" | "nonfinite_evaluation" | "cancelled";

export const methods: Method[];

/** A remark of the reader about a text; lines and columns count from 1. */
export interface Message {
    severity: "note" | "warning" | "error";
    line: number;
    column: number;
    text: string;
    excerpt: string;
    caret: number;
    hint: string;
}

export class HardnetError extends Error {
    status: string;
    subject: string;
    line: number;
    column: number;
    messages: Message[];
}

export interface LayerOptions {
    method?: Method;
    /** Steps at most; negative: the method's own. */
    iterations?: number;
    /** Negative: the method's own. */
    damping?: number;
    /** On the largest violation, 1e-8 unless given. */
    tolerance?: number;
}

export interface ProjectOptions {
    /** Keep every iterate. */
    trace?: boolean;
    /** Keep what vjp needs. */
    tape?: boolean;
    /** A deadline; 0: none. */
    seconds?: number;
}

/** What happened to one sample; hn_report of the C interface says more. Rows are -1 where there is none. */
export interface Report {
    outcome: Outcome;
    ok: boolean;
    iterations: number;
    steps: number;
    violationBefore: number;
    violation: number;
    worst: number;
    moved: number;
    damping: number;
    kkt: number;
    distance: number;
    objective: number;
    slope: number;
    proof: number;
    culprit: number;
}

export interface Iterate {
    sample: number;
    iteration: number;
    y: Float64Array;
    violation: number;
    damping: number;
}

export interface Result extends Report {
    y: Float64Array;
    residual: Float64Array;
    multipliers: Float64Array;
    trace?: Iterate[];
}

export interface Values {
    count: number;
    rows: Float64Array;
    lower: Float64Array;
    upper: Float64Array;
    residual: Float64Array;
    objective: Float64Array;
    start: Float64Array;
}

export interface Layer {
    readonly method: Method;
    /** y null: the model's start values. */
    project(y: Numbers | null, x?: Numbers | null, options?: ProjectOptions): Result;
    projectAll(count: number, y: Numbers | null, x?: Numbers | null, options?: ProjectOptions):
        {y: Float64Array; residual: Float64Array; reports: Report[]};
    vjp(gradY: Numbers): {y: Float64Array; x: Float64Array; flagged: boolean[]};
    free(): void;
}

export interface Policy {
    readonly candidates: number;
    run(x: Numbers): Report & {y: Float64Array};
    raw(x: Numbers): Float64Array[];
    free(): void;
}

export interface Model {
    readonly inputs: {name: string; lower: number; upper: number}[];
    readonly outputs: {name: string; fixed: boolean}[];
    readonly rows: {name: string}[];
    readonly objective: {name: string; maximize: boolean} | null;
    readonly messages: Message[];
    readonly fingerprint: string;
    write(): string;
    defined(y: Numbers, x?: Numbers | null): Record<string, number>;
    values(y: Numbers, x?: Numbers | null): Values;
    start(x?: Numbers | null): Float64Array;
    layer(options?: LayerOptions): Layer;
    policy(content: Uint8Array): Policy;
    free(): void;
}

/** trusted: up to the reader's own limits; else up to those for texts from strangers (1 MB, 200000 nodes). */
export function model(text: string | Uint8Array, options?: {data?: string | Uint8Array; relaxIntegrality?: boolean; trusted?: boolean}): Promise<Model>;
export function version(): Promise<string>;
export function use(source: BufferSource | WebAssembly.Module): void;
export function module(): Promise<WebAssembly.Module>;
