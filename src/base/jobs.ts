// How much one input from outside may bring about, wherever machines are run: by the engine, and by a replay of its day.

/** Most inputs that one external input may cause; beyond it a machine is looping, which is a bug. */
export const JOBS_MAX = 1_000_000;
