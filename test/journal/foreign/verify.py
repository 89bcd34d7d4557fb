"""Verifies an export of a journal, as src/journal/README.md describes it. Standard library only.

    python3 verify.py [--checkpoint FILE] EXPORT...

Prints one JSON object for each: verdict, records, head, changes, checkpoint. Exits with 0 unchanged, 11 changed.
"""
import argparse
import base64
import hashlib
import json
import re
import sys
import zlib

NO_RECORD = bytes(32)
HEX = re.compile(r"[0-9a-f]{64}")
LINK = re.compile(rb',"prev":"([0-9a-f]{64})","crc":"([0-9a-f]{8})"\}')
WHOLE = re.compile(r"(journal|0{4,9})\.jsonl")
SEGMENT = re.compile(r"\d{4,9}(-\d{4}-\d\d)?\.jsonl")


def record_hash(prev, row):
    digest = hashlib.sha256(prev)
    for name in ("id", "record", "stamp"):
        text = row[name].encode("utf-8")
        digest.update(len(text).to_bytes(4, "big") + text)
    return digest.digest()


def row_in(line):
    """The five fields of a line, checked; None for a line that is no record of an export."""
    try:
        row = json.loads(line.decode("utf-8", "replace"))
        seq, prev = row["seq"], row.get("prev")
        texts = [row[name] for name in ("id", "record", "stamp")]
        for text in texts:
            text.encode("utf-8")
        good = type(seq) is int and seq > 0 and HEX.fullmatch(row["hash"]) and (prev is None or HEX.fullmatch(prev))
        return row if good else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def record_in(text):
    try:
        record = json.loads(text)
    except ValueError:
        return None
    if not isinstance(record, dict) or record.get("schema") != 3:
        return None
    return record if isinstance(record.get("kind"), str) and isinstance(record.get("at"), str) else None


class EarlierLines:
    """The chain of the lines of an earlier version."""

    def __init__(self):
        self.file, self.head, self.whole = None, "0" * 64, None

    def add(self, imported):
        """Whether the line fits."""
        name, ended = imported.get("file"), imported.get("ended") is not False
        if not isinstance(name, str) or name == "halt.json":
            return True
        if isinstance(imported.get("line"), str):
            line = imported["line"].encode("utf-8")
        elif isinstance(imported.get("bytes"), str):
            line = base64.b64decode(imported["bytes"])
        else:
            return True
        link = LINK.fullmatch(line[-92:])
        if name != self.file:
            if self.whole is not None:
                self.head = self.whole.hexdigest()
            linked = not WHOLE.fullmatch(name) and (SEGMENT.fullmatch(name) or link)
            self.file, self.whole = name, None if linked else hashlib.sha256()
        if self.whole is not None:
            self.whole.update(line + (b"\n" if ended else b""))
            return True
        before, own = self.head, hashlib.sha256(line).hexdigest()
        if link is None:
            cut = line.endswith(b"\x18") or not ended
            self.head = own if cut else None
            return cut
        if b"%08x" % zlib.crc32(line[:-18]) != link[2]:
            self.head = None
            return False
        self.head = own
        return before is None or link[1].decode() == before


def verify(path, checkpoint):
    changes, records, result = [], 0, None
    seq, prev, unreadable = 0, NO_RECORD, 0
    earlier = EarlierLines()
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            row = row_in(line)
            if row is None:
                changes.append({"seq": None, "line": number})
                unreadable += 1
                continue
            if number == 1 and row["seq"] > 1 and row.get("prev"):
                seq, prev, earlier = row["seq"] - 1, bytes.fromhex(row["prev"]), None
                if checkpoint and checkpoint["seq"] == seq:
                    result = "continued" if prev.hex() == checkpoint["hash"] else "rewritten"
            records += 1
            own = bytes.fromhex(row["hash"])
            if row["seq"] <= seq:
                changes.append({"seq": row["seq"], "line": number})
            else:
                if row["seq"] != seq + 1:
                    # The records of lines that cannot be read are not missing.
                    if row["seq"] - seq - 1 != unreadable or not unreadable:
                        changes.append({"seq": seq + 1, "line": number})
                elif record_hash(prev, row) != own:
                    changes.append({"seq": row["seq"], "line": number})
                seq, prev, unreadable = row["seq"], own, 0
            if checkpoint and checkpoint["seq"] == row["seq"] and result is None:
                result = "continued" if row["hash"] == checkpoint["hash"] else "rewritten"
            record = record_in(row["record"])
            if record is None:
                changes.append({"seq": row["seq"], "line": number})
            elif earlier and isinstance(record.get("imported"), dict) and not earlier.add(record["imported"]):
                changes.append({"seq": row["seq"], "line": number})
    if checkpoint and result is None:
        result = "cut_off" if checkpoint["seq"] > seq else "rewritten"
    head = {"seq": seq, "hash": prev.hex()} if records else None
    changed = bool(changes) or result in ("cut_off", "rewritten")
    return {
        "verdict": "changed" if changed else "unchanged",
        "records": records,
        "head": head,
        "changes": changes[:20],
        "checkpoint": result,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint")
    parser.add_argument("exports", nargs="+")
    options = parser.parse_args()
    checkpoint = None
    if options.checkpoint is not None:
        with open(options.checkpoint, encoding="utf-8") as file:
            checkpoint = json.load(file)
    found = [verify(path, checkpoint) for path in options.exports]
    for each in found:
        print(json.dumps(each))
    return 11 if any(each["verdict"] == "changed" for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
