// SPDX-License-Identifier: Apache-2.0
// What a card has room for of a C++ name: the function that a kernel stands in, and the line.
//   cg::solver::submit_dot::lambda::operator()::lambda at solver.hpp:97   submit_dot :97
//   void math::scale<float>                                               scale<float>
//   (lambda at blur.cpp:12:7)                                             blur.cpp:12
// What is no such name (a label of the program) stays as it is.
export function label(name: string): string {
  if (!/::|\blambda\b/.test(name)) return name;
  const [, what, file, line] = /^(.*?)[(\s]*(?:lambda )?at ([^\s():]+):(\d+)[\d:)]*$/.exec(name) ?? [, name];
  const parts = components(what.replace(/ const\b/g, "")).filter((p) => p !== "" && !p.startsWith("operator()") && !/^['{(]*lambda/.test(p));
  const own = parts[parts.length - 1]?.replace(/\(.*\)$/, "");
  if (!own) return file ? `${file}:${line}` : name;
  return line ? `${own} :${line}` : own;
}

// Between "::" that stand in no brackets; without a type in front.
function components(name: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (let i = 0; i < name.length; ++i) {
    const c = name[i];
    if ("<({[".includes(c)) ++depth;
    if (">)}]".includes(c)) depth = Math.max(0, depth - 1);
    if (depth === 0 && c === " ") part = "";
    else if (depth === 0 && c === ":" && name[i + 1] === ":") {
      parts.push(part);
      part = "";
      ++i;
    } else part += c;
  }
  return [...parts, part];
}
