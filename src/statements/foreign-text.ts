export const ownWords = (p: string): string => p.replace(/```[\s\S]*?```/g, "").split("\n").filter((l) => !l.startsWith(">")).join("\n");
