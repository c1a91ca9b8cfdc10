//! Whole-number arithmetic in job files. fio passes an expression to `bc`; here it is evaluated directly.

/// Why an expression cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArithmeticError {
    /// A word that is neither a number, an operator nor a bracket.
    #[error("'{0}' is neither a number nor an operator; units do not go into arithmetic")]
    Word(String),
    /// An expression that ends, or closes a bracket, too early.
    #[error("'{0}' is not complete")]
    Incomplete(String),
    /// Division by zero.
    #[error("'{0}' divides by zero")]
    Zero(String),
    /// A result or an intermediate value out of range.
    #[error("'{0}' is out of range")]
    Range(String),
}

/// Deepest nesting of brackets.
const DEPTH: usize = 32;

/// Whether fio would evaluate `text`: it contains an operator and no single quote.
pub fn is_expression(text: &str) -> bool {
    text.contains(['+', '-', '*', '/']) && !text.contains('\'')
}

/// Evaluates an expression of whole numbers with `+ - * / % ^` and brackets; division drops the fraction.
///
/// # Errors
/// [`ArithmeticError`], which quotes the expression.
pub fn evaluate(text: &str) -> Result<i64, ArithmeticError> {
    let mut rest = Rest { text, at: 0, depth: 0 };
    let value = rest.sum()?;
    match rest.peek() {
        None => i64::try_from(value).map_err(|_| ArithmeticError::Range(text.to_owned())),
        Some(_) => Err(ArithmeticError::Word(text[rest.at..].trim().to_owned())),
    }
}

/// The value of an expression, if it has one.
pub fn evaluated(text: &str) -> Option<i64> {
    evaluate(text).ok()
}

/// An expression, and the position of the parser.
struct Rest<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Rest<'_> {
    fn peek(&mut self) -> Option<char> {
        let ahead = &self.text[self.at..];
        self.at += ahead.len() - ahead.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let next = self.peek().filter(|next| wanted.contains(next))?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn sum(&mut self) -> Result<i128, ArithmeticError> {
        let mut value = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let other = self.product()?;
            value =
                self.held(if operator == '+' { value.checked_add(other) } else { value.checked_sub(other) })?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i128, ArithmeticError> {
        let mut value = self.power()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            let other = self.power()?;
            if operator != '*' && other == 0 {
                return Err(ArithmeticError::Zero(self.text.to_owned()));
            }
            value = self.held(match operator {
                '*' => value.checked_mul(other),
                '/' => value.checked_div(other),
                _ => value.checked_rem(other),
            })?;
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<i128, ArithmeticError> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        self.deeper()?;
        let exponent = self.power()?;
        self.depth -= 1;
        self.held(u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent)))
    }

    fn atom(&mut self) -> Result<i128, ArithmeticError> {
        if self.take(&['-']).is_some() {
            self.deeper()?;
            let value = self.atom()?;
            self.depth -= 1;
            return Ok(-value);
        }
        if self.take(&['(']).is_some() {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            return self.take(&[')']).map(|_| value).ok_or_else(|| self.incomplete());
        }
        let Some(next) = self.peek() else {
            return Err(self.incomplete());
        };
        let ahead = &self.text[self.at..];
        let end = ahead.find(|c: char| !c.is_ascii_digit()).unwrap_or(ahead.len());
        if end == 0 {
            return Err(ArithmeticError::Word(next.to_string()));
        }
        let digits = &ahead[..end];
        self.at += end;
        self.held(digits.parse().ok())
    }

    fn deeper(&mut self) -> Result<(), ArithmeticError> {
        self.depth += 1;
        if self.depth > DEPTH { Err(self.incomplete()) } else { Ok(()) }
    }

    fn incomplete(&self) -> ArithmeticError {
        ArithmeticError::Incomplete(self.text.to_owned())
    }

    fn held(&self, value: Option<i128>) -> Result<i128, ArithmeticError> {
        value.ok_or_else(|| ArithmeticError::Range(self.text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_those_of_bc() {
        for (text, value) in [
            ("8*4096", 32_768),
            ("2+3*4-1", 13),
            (" ( 2 + 3 ) * 4 ", 20),
            ("2007/2", 1003),
            ("7%4", 3),
            ("2^10", 1024),
            ("2^3^2", 512),
            ("-3+5", 2),
            ("4096", 4096),
        ] {
            assert_eq!(evaluate(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_named() {
        assert_eq!(evaluate("4096*8k"), Err(ArithmeticError::Word("k".to_owned())));
        assert_eq!(evaluate("/tmp/x-4096"), Err(ArithmeticError::Word("/".to_owned())));
        assert!(matches!(evaluate("4*"), Err(ArithmeticError::Incomplete(_))));
        assert!(matches!(evaluate("(4"), Err(ArithmeticError::Incomplete(_))));
        assert!(matches!(evaluate("4/0"), Err(ArithmeticError::Zero(_))));
        assert!(matches!(evaluate("9^99"), Err(ArithmeticError::Range(_))));
        assert!(matches!(evaluate(&"(".repeat(10_000)), Err(ArithmeticError::Incomplete(_))));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-0-9+*/%^() \\PC]{0,24}") {
            let _ = evaluate(&text);
        }
    }
}
