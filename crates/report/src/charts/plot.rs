//! Places of values within a panel, in units of the drawing.

use std::ops::Range;

use super::drawing::Spot;
use super::panel::Panel;

/// Rectangle of a panel, in units of the drawing.
pub(super) struct Cell {
    pub x: Range<i32>,
    pub y: Range<i32>,
}

/// Plot area of a panel, in units of the drawing.
pub(super) struct Plot<'p> {
    /// From its left edge to just past its right one.
    pub x: Range<i32>,
    /// From its upper edge to just past its lower one.
    pub y: Range<i32>,
    /// Upper edge of the header, below the panel's heading.
    pub header: i32,
    /// Upper edge of the rows of band labels.
    pub bands: i32,
    pub panel: &'p Panel,
}

impl Plot<'_> {
    /// Returns the column at which a value of the x axis is drawn.
    pub fn column(&self, value: f64) -> i32 {
        let wide = self.x.end - 1 - self.x.start;
        self.x.start + (self.panel.x.place(value) * f64::from(wide)).round() as i32
    }

    /// Returns the row at which a value of the y axis is drawn.
    pub fn row(&self, value: f64) -> i32 {
        let high = self.y.end - 1 - self.y.start;
        self.y.end - 1 - (self.panel.y.place(value) * f64::from(high)).round() as i32
    }

    /// Returns the spot at which a point is drawn.
    pub fn spot(&self, (x, y): (f64, f64)) -> Spot {
        (self.column(x), self.row(y))
    }

    /// Returns the last column and the last row inside the plot.
    pub fn last(&self) -> Spot {
        (self.x.end - 1, self.y.end - 1)
    }

    /// Returns the horizontal place of words at a value of the x axis.
    pub fn across(&self, value: f64) -> i32 {
        let share = self.panel.x.place(value);
        self.x.start + (share * f64::from(self.x.end - self.x.start)).round() as i32
    }

    /// Returns the vertical place of words at a value of the y axis.
    pub fn up(&self, value: f64) -> i32 {
        let share = self.panel.y.place(value);
        self.y.end - (share * f64::from(self.y.end - self.y.start)).round() as i32
    }
}
